"""The web processes."""
