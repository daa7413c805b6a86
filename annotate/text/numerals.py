"""Values in an address or a form that are not text."""

LONGEST = 18  # digits: whatever has no more fits into 64 bits


def number(text: str, *, digits: int = LONGEST) -> int | None:
    """Return the whole number from 0 that the text is, or None."""
    fine = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fine else None
