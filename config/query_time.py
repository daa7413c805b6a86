"""How Postgres works on the queries of a request: for how long at most, and by which plans.

Workers, commands and migrations have no limit of ours, nor has a download while it is sent.

An annotator's requests read a few rows by their indexes, many times a second. So Postgres keeps
their plans, and plans no scan of a whole table: a plan that was made while a table was small would
be used long after it has grown.

Both belong to the connection, which outlives a request: they are sent only where they change, and
not at all where a pool gives the connection to somebody else after each transaction.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

WORK = "/work/"
CANCELED = "57014"  # the SQLSTATE of a query that took too long


class Manner(NamedTuple):
    """How Postgres works on queries; seconds: for each one at most, 0 for no limit."""

    seconds: float = 0
    by_index: bool = False

    def sql(self) -> str:
        """Return the statements that set it."""
        limit = f"{round(self.seconds * 1000)}" if self.seconds else "DEFAULT"
        scans, plans = ("off", "force_generic_plan") if self.by_index else ("DEFAULT",) * 2
        return (
            f"SET statement_timeout TO {limit};"
            f"SET enable_seqscan TO {scans};SET plan_cache_mode TO {plans}"
        )


class QueryTime:
    """Limits the queries of a request; an annotator's page has less time than a researcher's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(WORK):
            work(Manner(settings.WORK_QUERY_SECONDS, by_index=True))
        else:
            work(Manner(settings.PAGE_QUERY_SECONDS))
        response = self.get_response(request)
        if response.streaming:  # its queries follow while it is sent
            work(Manner())
        return response


def work(manner: Manner) -> None:
    """Let Postgres work in this manner on each further query of this thread's connection."""
    if not _keeps(connection):
        return
    connection.query_manner = manner  # type: ignore[attr-defined]
    if connection.connection is None or _sent(connection) == manner:
        return
    connection.close_if_health_check_failed()
    if connection.connection is not None:
        _send(connection)


def _keeps(connection: BaseDatabaseWrapper) -> bool:
    """Return whether what is set holds for the next transaction, and for nobody else's."""
    if connection.vendor != "postgresql":
        return False
    return not connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]


def ran_out(error: BaseException | None) -> bool:
    """Return whether this error of the database is a query that took too long."""
    return getattr(getattr(error, "__cause__", None), "pgcode", "") == CANCELED


@receiver(connection_created)
def _connected(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if _keeps(connection) and getattr(connection, "query_manner", Manner()) != Manner():
        _send(connection)


def _send(to: BaseDatabaseWrapper) -> None:
    """Set it outside of Django's log of queries. Within a transaction it ends with a rollback."""
    manner = to.query_manner  # type: ignore[attr-defined]
    with to.connection.cursor() as cursor:
        cursor.execute(manner.sql())
    if not to.in_atomic_block:
        to.query_manner_sent = to.connection, manner  # type: ignore[attr-defined]


def _sent(to: BaseDatabaseWrapper) -> Manner:
    """Return what this connection has, and not one before it."""
    held, manner = getattr(to, "query_manner_sent", (None, Manner()))
    return manner if held is to.connection else Manner()
