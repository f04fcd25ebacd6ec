"""``export``: which decisions there are, what their fields are called, how their moves are judged, and the files.

``decisions`` chooses boards, ``sheets`` says the fields of many boards at once, ``rows`` judges moves, ``files`` and
``table_file`` write tables, ``export`` puts all that together, ``reading`` reads tables back. The
folder is not called export: importing a module from it would put it in the place of the function ``rollwise.export``.
"""
