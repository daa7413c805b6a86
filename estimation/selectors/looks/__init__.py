"""The data behind the numbers, for the pages of one system and of one item."""
