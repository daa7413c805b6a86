"""How long somebody has to wait, in words."""

from django.utils.translation import ngettext


def in_minutes(seconds: float) -> str:
    """Return whole minutes, rounded up: who waits so long has waited long enough."""
    n = max(1, -(-int(seconds) // 60))
    return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}
