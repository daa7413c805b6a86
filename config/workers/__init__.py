"""How workers and beat run."""
