"""Parsing of input to checked values: parameters, fields, moves and records, or an error of one line."""
