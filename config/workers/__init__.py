"""The workers and beat."""
