"""``export``: which decisions there are, what their fields are called, how their moves are judged, and the files.

``decisions`` and ``levels`` choose boards and rows, ``board_fields`` says the fields of many boards at once, ``rows``
judges moves, ``files`` writes tables, ``writing`` puts all that together. The folder is not called export: importing a
module from it would put it in the place of the function ``rollwise.export``.
"""
