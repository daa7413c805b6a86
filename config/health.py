"""Health check for load balancers and containers."""

from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when this process reaches its database (an exception makes it a 500)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})
