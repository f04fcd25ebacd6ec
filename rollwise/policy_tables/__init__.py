"""Tables of the best move for every decision of a game: selection, rows, files and reading back.

``decisions`` chooses boards, ``row_template`` gives the fields of many boards at once, ``decision_rows`` ranks moves,
``files`` and ``table_writer`` write tables, ``export`` joins these steps; ``table_reader`` reads files, ``table_rows``
their rows. The folder is not called export: importing a module from it would replace the function ``rollwise.export``.
"""
