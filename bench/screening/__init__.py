"""What the screens find, and whom they accuse."""
