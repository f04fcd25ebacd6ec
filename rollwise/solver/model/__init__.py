"""The words a game is written in, and the plain facts that answers are made of."""
