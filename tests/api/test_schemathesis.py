"""Whatever the API's description allows, and much that it does not, is answered as described."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from drf_spectacular.generators import SchemaGenerator

from annotate.accounts import tokens
from annotate.campaigns.facts import pseudonyms
from annotate.models import Campaign
from estimation import refresh
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

COMMAND = str(Path(sys.executable).with_name("schemathesis"))
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
METHODS = {"get", "post", "put", "patch", "delete"}


def judged(ada: User) -> tuple[Campaign, str]:
    """An open campaign of ada's with work and estimates, and a pseudonym in it."""
    made = campaign(items=6, owner=ada)
    who = person(made, "p1")
    for _task in range(4):
        judge(who)
    refresh.refresh(made.pk)
    return made, pseudonyms([who.annotator_id])[who.annotator_id]


def run(folder: Path, base: str, *options: str) -> Any:
    """Ask for all that the description allows, as an owner; real names stand in the addresses."""
    ada = user()
    made, who = judged(ada)
    values = {"public_id": made.public_id, "pseudonym": who, "reference": "language_quality"}
    token = tokens.make_token(ada.pk, "fuzz")[1]
    lines = [f'{name} = "{value}"' for name, value in values.items()]
    (folder / "schemathesis.toml").write_text("\n".join(["[parameters]", *lines]) + "\n")
    return subprocess.run(
        [
            *(COMMAND, "run", f"{base}/api/v1/schema/", "--seed", "1", "--workers", "1"),
            *("--header", f"Authorization: Token {token}", "--checks", ",".join(CHECKS)),
            # Now and then the server of the tests finds the rest of a body that nobody has read in
            # its connection, and answers without a status.
            *("--phases", "coverage", "--request-retries", "2", *options),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )


def operations() -> int:
    """Return how many operations the API describes."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return sum(method in METHODS for path in paths.values() for method in path)


def test_the_answers_are_as_described(tmp_path: Path, live_server: Any) -> None:
    found = run(tmp_path, live_server.url, "--mode", "positive")
    assert found.returncode == 0, found.stdout[-30000:]
    assert f"Tested: {operations()}\n" in found.stdout


def test_nonsense_is_refused_as_described(tmp_path: Path, live_server: Any) -> None:
    found = run(tmp_path, live_server.url, "--mode", "negative")
    assert found.returncode == 0, found.stdout[-30000:]
