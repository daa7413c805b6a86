"""What each kind of operation does, one module per group of kinds."""
