"""The commands of the command line: each is one small function, in a module with those of its kind.

A command reads what was typed with the words of ``options``, asks the function of the same name in ``rollwise``, and
prints: nothing is worked out here. ``examples`` lists them in the order of the help, with two lines for each.
What a command needs beyond options is imported inside it, so that a question loads no other command's.
"""
