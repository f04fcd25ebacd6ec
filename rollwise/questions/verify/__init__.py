"""The question ``verify``: the claims of rule sheets, and of a sheet of the reader, checked."""
