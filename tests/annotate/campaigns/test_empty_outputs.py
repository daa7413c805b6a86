"""An output with nothing to read in it: every page says so, and it is judged like any other."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Judgment
from annotate.studies import definitions
from tests import reviewed
from tests.annotate.own import marked
from tests.annotate.researcher import looked_at, owner_of
from tests.annotate.work.pages.working import call, work_url
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

SAID = "The system wrote nothing."
EMPTY = [
    "",
    " ",
    "\n\t ",
    "\r\n\r\n",
    "\u00a0\u3000",
    "\u200b\ufeff\u2060",
    "\u200e\u202e",
    "\u2800",
]


def study(kind: str, text: str, **changes: Any) -> Any:
    more: dict[str, Any] = {"input": "Why?"}
    asked: dict[str, Any] = {"targets": {"overall": 0.2}}
    if kind == "answers":
        more |= {"paragraphs": ("One.", "Two.")}
        asked = {"instrument": "answer_correctness", "targets": {"any_correct": 0.2}}
    if kind == "own":
        made = definitions.define(marked(), owner_id=user("eve").pk)
        asked = {"instrument": f"{made.key}@{made.version}", "targets": {"helpful": 0.2}}
    rows = [Row(str(n), "alpha", text, **more) for n in range(2)]
    return campaign(rows_=rows, metrics=(), double_share=0, **asked, **changes)


def page(made: Any) -> str:
    return Client().get(work_url(person(made))).content.decode()


@pytest.mark.parametrize("kind", ["ratings", "answers", "own"])
@pytest.mark.parametrize("text", EMPTY, ids=ascii)
def test_the_page_of_a_task_says_that_nothing_was_written(kind: str, text: str) -> None:
    assert page(study(kind, text)).count(SAID) == 1


RESPONSES = {
    "ratings": {"fluency": 1, "redundancy": 1, "overall": -1, "edit": "Nothing is written here."},
    "answers": {"plausible": False, "verdicts": []},
    "own": {"helpful": -2, "invented": 1, "evidence": {}, "edit": "An answer."},
}


@pytest.mark.parametrize("kind", RESPONSES)
@pytest.mark.parametrize("text", ["", " \n\u200b"], ids=ascii)
def test_it_is_judged_like_any_other(kind: str, text: str) -> None:
    made = study(kind, text)
    sent = {"response": RESPONSES[kind], "version": made.instrument_version}
    assert call(Client(), person(made), "submit", sent).status_code == 200
    assert Judgment.objects.count() == 1


def test_reviewers_annotators_and_researchers_read_it_too(ada: Client) -> None:
    made = study("ratings", "\u00a0\n", owner=owner_of(ada))
    who = person(made)
    judge(who)
    review = reviewed.flagged(who)
    case = reverse("annotate:review", args=[made.public_id, review.annotator.pseudonym])
    own = reverse("annotate:me", args=[tokens.participation_token(who.pk)])
    for address in (case, own):
        assert SAID in ada.get(address).content.decode(), address


@pytest.mark.slow
def test_the_preview_of_a_campaign_says_which_are_empty(ada: Client) -> None:
    lines = [{"item": str(n), "system": "a", "output": text} for n, text in enumerate(EMPTY)]
    said = looked_at(ada, "\n".join(map(json.dumps, lines)).encode()).content.decode()
    assert f"{len(EMPTY)} outputs are empty. People read that the system wrote nothing" in said
    assert said.count(SAID) == 3
    one = [{"item": "1", "system": "a", "output": ""}, {"item": "2", "system": "a", "output": "x"}]
    page = looked_at(ada, "\n".join(map(json.dumps, one)).encode())
    assert "1 output is empty." in page.content.decode()
