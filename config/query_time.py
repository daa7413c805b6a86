"""How long Postgres may work on one query of a request (`statement_timeout`).

Workers, commands and migrations have no limit of ours, nor has a download while it is sent. The
limit belongs to the connection, which outlives a request: it is sent only where it changes.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

WORK = "/work/"
CANCELED = "57014"  # the SQLSTATE of a query that took too long


class QueryTime:
    """Limits the queries of a request; an annotator's page has less time than a researcher's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        at_work = request.path.startswith(WORK)
        limit(settings.WORK_QUERY_SECONDS if at_work else settings.PAGE_QUERY_SECONDS)
        response = self.get_response(request)
        if response.streaming:  # its queries follow while it is sent
            limit(0)
        return response


def limit(seconds: float) -> None:
    """Let each further query of this thread's connection take so long at most; 0: no limit."""
    if connection.vendor != "postgresql":
        return
    connection.query_seconds = seconds  # type: ignore[attr-defined]
    if connection.connection is None or _sent(connection) == seconds:
        return
    connection.close_if_health_check_failed()
    if connection.connection is not None:
        _send(connection)


def ran_out(error: BaseException | None) -> bool:
    """Return whether this error of the database is a query that took too long."""
    return getattr(getattr(error, "__cause__", None), "pgcode", "") == CANCELED


@receiver(connection_created)
def _connected(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if getattr(connection, "query_seconds", 0):
        _send(connection)


def _send(to: BaseDatabaseWrapper) -> None:
    """Set it outside of Django's log of queries. Within a transaction it ends with a rollback."""
    seconds = to.query_seconds  # type: ignore[attr-defined]
    value = f"{round(seconds * 1000)}" if seconds else "DEFAULT"
    with to.connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout TO {value}")
    if not to.in_atomic_block:
        to.query_seconds_sent = to.connection, seconds  # type: ignore[attr-defined]


def _sent(to: BaseDatabaseWrapper) -> float:
    """Return what this connection has, and not one before it."""
    held, seconds = getattr(to, "query_seconds_sent", (None, 0))
    return seconds if held is to.connection else 0
