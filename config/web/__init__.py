"""How web processes serve."""
