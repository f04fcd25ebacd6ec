"""Strongly connected components of boards, their order, their certificates, and the threads that solve them."""
