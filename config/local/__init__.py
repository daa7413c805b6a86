"""The servers that Plumbline starts for itself: one folder, one Postgres, one Valkey."""
