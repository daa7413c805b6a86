"""A researcher makes a campaign of rankings from a file: what the steps ask and show."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import imports
from annotate.models import Campaign
from annotate.studies import definitions
from tests.annotate.campaigns.test_steps import keep
from tests.annotate.ranked_texts.studies import ranking, rows
from tests.annotate.researcher import at, begun, owner_of, press

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def file(items: int = 40, *, same: int = 0) -> bytes:
    texts = [{"item": r.item, "system": r.system, "output": r.output} for r in rows(items)]
    for n in range(same):
        texts += [{"item": f"s{n}", "system": name, "output": "Same."} for name in "ABC"]
    return "\n".join(map(json.dumps, texts)).encode()


@pytest.mark.slow
def test_the_steps_lead_to_a_campaign_with_one_task_an_item(ada: Client) -> None:
    definitions.define(ranking(), owner_id=owner_of(ada).pk)
    of = begun(ada, file(same=2))
    assert keep(ada, of, "questions", instrument="ranking@1").status_code == 302
    plan = ada.get(at(of, "plan")).content.decode()
    assert 'value="precision"' in plan
    assert 'value="anytime"' in plan
    assert 'value="ranking"' not in plan
    given = {"instrument": "ranking@1", "width_rank": "0.5", "double_share": "0"}
    assert keep(ada, of, "plan", **given).status_code == 302
    assert keep(ada, of, "people").status_code == 302
    page = ada.get(reverse("annotate:import", args=[of.public_id]))
    told = " ".join(page.content.decode().split())
    assert "one an item, of all texts" in told
    assert "All systems wrote the same text for 2 items." in told
    press(ada, page)
    imports.run_due()
    made = Campaign.objects.get()
    assert (made.planned, made.items.count()) == (40, 40)


def test_the_first_items_of_the_file_are_shown_as_rankings(ada: Client) -> None:
    definitions.define(ranking(), owner_id=owner_of(ada).pk)
    of = begun(ada, file(2))
    keep(ada, of, "questions", instrument="ranking@1")
    page = ada.get(reverse("annotate:import-item", args=[of.public_id, 1])).content.decode()
    assert "Text 3 of 3" in page
    assert "rate this one" not in page


def test_a_file_with_a_missing_text_is_told_at_the_question(ada: Client) -> None:
    definitions.define(ranking(), owner_id=owner_of(ada).pk)
    of = begun(ada, b"\n".join(file().splitlines()[:-1]))
    answer = keep(ada, of, "questions", instrument="ranking@1")
    assert answer.status_code == 422
    assert "1 text is missing" in answer.content.decode()


def test_the_api_makes_the_same_campaign(ada: Client) -> None:
    definitions.define(ranking(), owner_id=owner_of(ada).pk)
    body = {
        "name": "R",
        "instrument": "ranking@1",
        "targets": {"rank": 0.5},
        "double_share": 0,
        "outputs": [json.loads(line) for line in file().splitlines()],
    }
    answer = ada.post("/api/v1/campaigns/", body, content_type="application/json")
    assert answer.status_code == 201, answer.content
    assert Campaign.objects.get().planned == 40
