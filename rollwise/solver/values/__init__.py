"""Certified values of all boards: backward induction, policy iteration and value iteration."""
