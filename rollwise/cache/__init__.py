"""Cache of checked arrays on disk, keyed by fingerprints of source code; it knows no dice."""
