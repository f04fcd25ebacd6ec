"""Play without decisions: where it goes, how long it takes, what it brings."""
