"""What tests of researchers' pages share: the steps of a new campaign, sent as a browser does."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport

NEW = "/campaigns/new/"
NO_FILE = b"no file at all"


PLAN = {
    "name": "News",
    "instrument": "language_quality",
    "language": "en",
    "tutorial": "built-in",
    "tutorial_bonus": "0.75",
    "width_overall": "0.2",
    "margin_overall": "0.3",
    "crowd": "link",
    "metric_choice": "named",
    "metric_names": ["repetition"],
    "reward": "0.40",
    "annotator_cap": "25",
    "double_share": "25",
    "raters": "2",
    "level": "95",
    "estimand": "population",
    "stop_mode": "precision",
}


def lines(items: int = 4) -> bytes:
    rows = [
        {"item": f"i{i}", "system": system, "output": f"Text {i}" if i == 0 else f"{system} {i}"}
        for i in range(items)
        for system in ("alpha", "beta")
    ]
    return "\n".join(json.dumps(row) for row in rows).encode()


def send(
    client: Client, content: bytes | None = None, *, metrics: bytes = b"", **fields: Any
) -> Any:
    """Send the first step with its files."""
    body: dict[str, Any] = {**PLAN, **fields}
    if content != NO_FILE:
        body["outputs"] = SimpleUploadedFile("outputs.any", lines() if content is None else content)
    if metrics:
        body["metrics_file"] = SimpleUploadedFile("metrics.csv", metrics)
    return client.post(NEW, body)


def begun(client: Client, content: bytes | None = None, **fields: Any) -> CampaignImport:
    """Send the first step, let a worker read the file, and return the import."""
    answer = send(client, content, **fields)
    assert answer.status_code == 302, answer.content.decode()
    imports.run_due()
    return CampaignImport.objects.latest("pk")


def at(of: CampaignImport, step: str) -> str:
    return reverse("annotate:import-step", args=[of.public_id, step])


def step_page(client: Client, step: str, **fields: Any) -> str:
    """Return the page of a step of a campaign that was begun."""
    return client.get(at(begun(client, **fields), step)).content.decode()


def walked(client: Client, **fields: Any) -> Any:
    """Send the other steps of the newest import; return the first that was not taken, or the last.

    A file that cannot be read ends it earlier, on the page of the import.
    """
    of = CampaignImport.objects.latest("pk")
    for step in ("questions", "plan", "people"):
        of.refresh_from_db()
        body = {**PLAN, **fields, "beyond": "1", "revision": of.revision}
        answer = client.post(at(of, step), body)
        if answer.status_code != 302:
            break
    return answer


def tried(client: Client, content: bytes | None = None, **fields: Any) -> Any:
    """Send all steps; return the first answer that asks for a correction, or the last."""
    answer = send(client, content, **fields)
    if answer.status_code != 302:
        return answer
    imports.run_due()
    return walked(client, **{k: v for k, v in fields.items() if k != "metrics"})


def looked_at(client: Client, content: bytes | None = None, **fields: Any) -> Any:
    """Send all steps, let a worker read the file, and return the page of the import."""
    answer = tried(client, content, **fields)
    assert answer.status_code == 302, answer.content.decode()
    return client.get(answer["Location"])


def press(client: Client, page: Any, act: str = "create", **fields: Any) -> Any:
    """Press a button on the page of an import; with what the form of the button sends beside."""
    body = {"act": act, "revision": page.context["of"].revision, **fields}
    if act == "create" and 'name="beyond"' in page.content.decode():
        body = {"beyond": "1"} | body
    return client.post(page.request["PATH_INFO"], body)


def created(client: Client, content: bytes | None = None, **fields: Any) -> Campaign:
    """Go the whole way from the form to the campaign."""
    page = looked_at(client, content, **fields)
    press(client, page)
    imports.run_due()
    return Campaign.objects.get(imported__public_id=page.context["of"].public_id)


def owner_of(client: Client) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(pk=client.session["_auth_user_id"])
