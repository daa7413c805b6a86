"""What stands behind the numbers, for pages: of one system, and of one item."""
