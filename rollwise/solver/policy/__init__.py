"""What comes of a policy."""
