"""Whether a text has anything visible."""

from unicodedata import category

# Letters and signs that are drawn as nothing: fillers of Hangul, and Braille without a dot.
DRAWN_EMPTY = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


def is_visible(text: str) -> bool:
    """Return whether it holds more than spaces and invisible characters."""
    return any(one not in DRAWN_EMPTY and category(one) not in _UNSEEN for one in text)
