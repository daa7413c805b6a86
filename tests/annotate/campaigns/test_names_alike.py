"""Names of systems and items that look alike are told, and somebody says whether they are one."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport
from tests.annotate.researcher import looked_at, owner_of, press
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

CAMPAIGNS = "/api/v1/campaigns/"
NFD, NFC = "mode\u0300le", "mod\u00e8le"
ACCENTS = "“mode\\u0300le” and “modèle” differ only in how their accents are coded"


def rows(*systems: str, items: tuple[str, ...] = ("1", "2")) -> list[dict[str, str]]:
    return [
        {"item": item, "system": system, "output": f"Text {n} of {item.strip()}."}
        for item in items
        for n, system in enumerate(systems)
    ]


def packed(given: list[dict[str, str]]) -> bytes:
    return "\n".join(json.dumps(row) for row in given).encode()


ALIKE = {
    "accents": (rows(NFD, NFC), f"Two systems have names that look alike: {ACCENTS}"),
    "blanks": (rows("s1", "s1 "), "“s1” and “s1·” differ only in blanks"),
    "not drawn": (rows("s1", "s\u200b1"), "“s\\u200b1” differ only in blanks, or characters"),
    "case": (rows("GPT", "gpt"), "“GPT” and “gpt” differ only in capital letters"),
    "items": (rows("a", items=("x 1", "x  1")), "Two items have names that look alike: “x··1”"),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_a_program_is_asked(kind: str) -> None:
    api = APIClient()
    api.force_login(user("ada"))
    given, told = ALIKE[kind]
    plan = {"name": "News", "targets": {"overall": 0.2}, "outputs": given}
    refused = api.post(CAMPAIGNS, plan, format="json")
    assert refused.status_code == 422
    assert told in refused.json()["errors"]["distinct_names"]
    assert "`distinct_names`" in refused.json()["errors"]["distinct_names"]
    assert not Campaign.objects.exists()
    made = api.post(CAMPAIGNS, {**plan, "distinct_names": True}, format="json")
    assert made.status_code == 201
    assert told in " ".join(made.json()["notices"])


def test_a_large_file_of_a_program_is_asked_about_too(ada: Client) -> None:
    api = APIClient()
    api.force_login(owner_of(ada))
    large = [row | {"input": "word " * 30_000 + row["item"]} for row in rows(NFC, NFD)]
    plan: dict[str, Any] = {"name": "News", "targets": {"overall": 0.2}, "outputs": large * 1}
    plan["outputs"] += [one | {"item": f"{n}"} for n in range(3, 9) for one in large[:1]]
    address = api.post(CAMPAIGNS, plan, format="json")["Location"]
    imports.run_due()
    told = api.get(address).json()
    assert (told["status"], ACCENTS in told["refusal"]["message"]) == ("refused", True)


def test_the_page_asks_before_it_creates(ada: Client) -> None:
    page = looked_at(ada, packed(rows(NFC, NFD)))
    assert ACCENTS in page.content.decode()
    press(ada, page)
    assert CampaignImport.objects.get().status == "ready"
    press(ada, page, distinct_names="1")
    imports.run_due()
    assert Campaign.objects.get().systems.count() == 2


def test_the_command_asks(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(packed(rows(NFC, NFD)))
    given = [str(path), "--name", "News", "--target", "overall=0.2"]
    with pytest.raises(CommandError, match=r"look alike.*--distinct-names"):
        call_command("create_campaign", *given)
    assert not Campaign.objects.exists()
    call_command("create_campaign", *given, "--distinct-names", "--json")
    assert Campaign.objects.get().systems.count() == 2
