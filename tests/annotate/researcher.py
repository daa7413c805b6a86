"""What tests of researchers' pages share: the form of a new campaign, sent as a browser does."""

import json
import re
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

NEW = "/campaigns/new/"


PLAN = {
    "name": "News", "instrument": "language_quality", "language": "en",
    "tutorial": "built-in", "tutorial_bonus": "0.75",
    "width_overall": "0.2", "metric_choice": "named",
    "metric_names": ["repetition"], "reward": "0.40",
    "annotator_cap": "25", "double_share": "25", "level": "95", "estimand": "population",
    "stop_mode": "precision",
}  # fmt: skip


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
    body: dict[str, Any] = {**PLAN, "act": "preview", **fields}
    body["outputs"] = SimpleUploadedFile("outputs.jsonl", lines() if content is None else content)
    if metrics:
        body["metrics_file"] = SimpleUploadedFile("metrics.csv", metrics)
    return client.post(NEW, body)


def shown(answer: Any) -> str:
    found = re.search(r'name="shown" value="([^"]+)"', answer.content.decode())
    assert found, answer.content.decode()
    return found.group(1)


def owner_of(client: Client) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(pk=client.session["_auth_user_id"])
