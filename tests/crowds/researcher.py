"""What tests of the researcher's pages of batches share."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from annotate.models import Campaign


def at(made: Campaign, name: str = "batches", *more: object) -> str:
    return reverse(f"annotate:{name}", args=[made.public_id, *more])


def fields(client: Client, made: Campaign, **changed: Any) -> dict[str, Any]:
    """The form as it comes, with some fields typed over."""
    form = client.get(at(made, "batch-new")).context["form"]
    start = {name: value for name, value in form.initial.items() if name in form.fields}
    return {**start, "places": 4, "act": "offer", **changed}


def offered(client: Client, made: Campaign, **changed: Any) -> tuple[dict[str, Any], Any]:
    """Return the form with what was shown, and the answer that showed it."""
    sent = fields(client, made, **changed)
    answer = client.post(at(made, "batch-new"), sent)
    return {**sent, "shown": hidden(answer, "shown"), "act": "launch"}, answer


def hidden(answer: Any, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', answer.content.decode())
    return found.group(1) if found else ""


def said(answer: Any) -> list[str]:
    """The last first: those that no page has shown yet come along."""
    return [str(message) for message in answer.context["messages"]][::-1]
