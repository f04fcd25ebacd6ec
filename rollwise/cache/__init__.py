"""The cache: checked arrays on disk, and fingerprints of source code. It knows no dice."""
