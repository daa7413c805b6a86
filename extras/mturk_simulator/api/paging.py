"""Pages of results, with tokens that stay valid while new rows arrive."""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from extras.mturk_simulator.state.errors import INVALID, RequestRefused

Row = TypeVar("Row")
SIZE = 10  # where a request sets none


def page(
    arguments: Mapping[str, Any],
    rows: Iterable[Row],
    key: Callable[[Row], int],
    *,
    newest_first: bool = False,
) -> tuple[Sequence[Row], dict[str, Any]]:
    """Return the rows of the requested page, and NumResults and NextToken of the answer.

    A full page always has a token, as at Amazon; the page after it may be empty.
    """
    ordered = sorted(rows, key=key, reverse=newest_first)
    if "NextToken" in arguments:
        after = _read(arguments["NextToken"])
        ordered = [
            row for row in ordered if (key(row) < after if newest_first else key(row) > after)
        ]
    size = arguments.get("MaxResults", SIZE)
    shown = ordered[:size]
    token = {"NextToken": _token(key(shown[-1]))} if len(shown) == size else {}
    return shown, {"NumResults": len(shown), **token}


def _token(serial: int) -> str:
    return base64.urlsafe_b64encode(f"after:{serial}".encode()).decode()


def _read(token: str) -> int:
    try:
        word, _, serial = base64.urlsafe_b64decode(token).decode().partition(":")
        if word != "after":
            raise ValueError
        return int(serial)
    except (binascii.Error, ValueError):
        raise RequestRefused(INVALID, "NextToken is not one of ours.")
