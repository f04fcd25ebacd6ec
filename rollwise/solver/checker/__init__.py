"""Independent check of stored solutions, with its own reading of transitions and its own Bellman backups."""
