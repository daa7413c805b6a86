"""A campaign as one file: what is in it (`tables`), its rows (`contents`), the zip (`archive`)."""
