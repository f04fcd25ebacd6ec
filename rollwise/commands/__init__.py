"""The commands of the command line, one small function each.

A command reads the words of ``options``, calls the function of the same name in ``rollwise``, and prints the answer; it
computes nothing. ``examples`` lists them in the order of the help, with two lines for each.
A command imports its other modules inside its function, so that a question loads no code of other commands.
"""
