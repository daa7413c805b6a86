"""How a command says that a service refused what was asked."""

from django.core.management.base import CommandError

from annotate.errors import ServiceError


def nothing_changed(refused: ServiceError) -> CommandError:
    """Return the error that lists each problem on a line, with the name of its field."""
    told = getattr(refused, "errors", {"": refused.message})
    lines = "\n".join(f"{name}: {text}" if name else text for name, text in told.items())
    return CommandError(f"Nothing was changed.\n{lines}")
