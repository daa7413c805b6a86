"""Cursors: places in a list as text that only this server can make.

A cursor belongs to one list, with its filters and its order, so what stands in it can be trusted.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core import signing

from annotate.errors import BadCursor
from annotate.selectors.listings import RowPlace

PARAM = "cursor"
# What an address may hold beside what decides which rows the list has, and in which order.
BESIDE = {PARAM, "page", "page_size"}


def made(place: RowPlace, *, of: str) -> str:
    """Return the cursor of a place in a list. of: the list (`list_of`)."""
    return _signer(of).sign_object([place.before, [_plain(one) for one in place.values]])


def read(cursor: str, *, of: str) -> RowPlace:
    """Return the place of a cursor; raises `BadCursor` for that of another list."""
    try:
        before, values = _signer(of).unsign_object(cursor)
    except signing.BadSignature:
        raise BadCursor from None
    return RowPlace(tuple(map(_value, values)), before)


def list_of(path: str, query: Mapping[str, str]) -> str:
    """Return what names a list: its address, its filters and its order."""
    return repr((path, sorted(item for item in query.items() if item[0] not in BESIDE)))


def _signer(of: str) -> signing.Signer:
    return signing.Signer(salt=f"annotate.api.cursors:{of}")


def _plain(value: Any) -> Any:
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def _value(value: Any) -> Any:
    return datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value
