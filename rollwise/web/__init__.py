"""The local web page and its JSON interface, ``rollwise serve``: the same questions and answers as the terminal.

Pages and the JSON interface are made from what every game declares: its parameters, its fields and their forms. Nothing
outside this package, and the command that starts it, imports it.
"""
