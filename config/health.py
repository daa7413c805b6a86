"""The readiness check (`/readyz`): database, Redis, and waiting changes."""

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from annotate.campaigns import progress
from config import due


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "The database does not answer."
    return ""


def _broker() -> str:
    try:
        due.shared(settings.REDIS_URL).ping()
    except redis.RedisError:
        return "Redis does not answer."
    return ""


def _estimates() -> str:
    try:
        late = progress.late_marks().exists()
    except DatabaseError:
        return ""  # the database is named
    return "Changes wait for their estimates: is the worker running?" if late else ""


_LOOKS = {"database": _database, "broker": _broker, "estimates": _estimates}


def readyz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if database, broker and worker do their work, and 503 with what is wrong."""
    wrong = {name: said for name, look in _LOOKS.items() if (said := look())}
    if wrong:
        return JsonResponse({"status": "not ready", "wrong": wrong}, status=503)
    return JsonResponse({"status": "ok"})
