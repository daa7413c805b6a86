"""Waiting times in words."""

from django.utils.translation import ngettext


def in_minutes(seconds: float) -> str:
    """Return whole minutes, rounded up, so that waiting that long is enough."""
    n = max(1, -(-int(seconds) // 60))
    return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}
