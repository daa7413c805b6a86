"""What each kind of operation does: one module for each group of kinds."""
