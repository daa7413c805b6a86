"""Codes as people type them: of an app, six digits, and for recovery, twenty."""

import unicodedata

APP_DIGITS = 6
RECOVERY_DIGITS = 20
BETWEEN = " -‐‑–"  # what people and programs put between groups of digits


def plain(typed: str) -> str:
    """Return the digits of a code, from any script and without gaps; "" for what is no code."""
    kept = "".join(one for one in unicodedata.normalize("NFKC", typed) if one not in BETWEEN)
    if len(kept) not in (APP_DIGITS, RECOVERY_DIGITS) or not kept.isdecimal():
        return ""
    return "".join(str(unicodedata.decimal(one)) for one in kept)


def grouped(text: str, size: int) -> str:
    """Return the text with a space after each `size` characters."""
    return " ".join(text[at : at + size] for at in range(0, len(text), size))
