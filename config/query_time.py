"""Limits on a request's query time and lock waits in Postgres.

Workers, commands and migrations have no limit of ours, nor has a download while it is sent. The
limits belong to the connection, which outlives a request: they are sent only where they change, and
not at all where a pool gives the connection to somebody else after each transaction.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

CANCELED = "57014"  # the SQLSTATE of a query that took too long
LOCKED = "55P03"  # of one that waited too long for a lock

UNLIMITED = "SET statement_timeout TO DEFAULT; SET lock_timeout TO DEFAULT"


class QueryTime:
    """Limits the queries of a request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _work(_limited())
        response = self.get_response(request)
        if response.streaming:  # its queries follow while it is sent
            lift()
        return response


def lift() -> None:
    """End the limits on this thread's connection."""
    _work(UNLIMITED)


def ran_out(error: BaseException | None) -> bool:
    """Return whether this error of the database is a query that took too long."""
    return _code(error) == CANCELED


def waited(error: BaseException | None) -> bool:
    """Return whether this error of the database is a lock that was held for too long."""
    return _code(error) == LOCKED


def _code(error: BaseException | None) -> str:
    return getattr(getattr(error, "__cause__", None), "pgcode", None) or ""


def _limited() -> str:
    limits = {"statement_timeout": settings.QUERY_SECONDS, "lock_timeout": settings.LOCK_SECONDS}
    return "; ".join(
        f"SET {name} TO {round(seconds * 1000) if seconds else 'DEFAULT'}"
        for name, seconds in limits.items()
    )


def _work(limits: str) -> None:
    """Let Postgres work by these limits on each further query of this thread's connection."""
    if not _keeps(connection):
        return
    connection.query_limits = limits  # type: ignore[attr-defined]
    if connection.connection is None or _sent(connection) == limits:
        return
    connection.close_if_health_check_failed()
    if connection.connection is not None:
        _send(connection)


def _keeps(connection: BaseDatabaseWrapper) -> bool:
    """Return whether what is set holds for the next transaction, and for nobody else's."""
    if connection.vendor != "postgresql":
        return False
    return not connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]


@receiver(connection_created)
def _connected(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if _keeps(connection) and getattr(connection, "query_limits", UNLIMITED) != UNLIMITED:
        _send(connection)


def _send(to: BaseDatabaseWrapper) -> None:
    """Set it outside of Django's log of queries. Within a transaction it ends with a rollback."""
    limits = to.query_limits  # type: ignore[attr-defined]
    with to.connection.cursor() as cursor:
        cursor.execute(limits)
    if not to.in_atomic_block:
        to.query_limits_sent = to.connection, limits  # type: ignore[attr-defined]


def _sent(to: BaseDatabaseWrapper) -> str:
    """Return what this connection has, and not one before it."""
    held, limits = getattr(to, "query_limits_sent", (None, UNLIMITED))
    return str(limits) if held is to.connection else UNLIMITED
