"""The audit trail of a review, in sentences."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotate.models import AuditEntry
from annotate.review.views import trail


def told(verb: str, **detail: Any) -> str:
    entry = AuditEntry(at=timezone.now(), actor=User(username="ada"), verb=verb, detail=detail)
    ((_at, who, text),) = trail([entry], pseudonym="P1")
    assert who == "ada"
    return text


def test_amounts_are_written_as_money() -> None:
    assert told("refuse", done="2.40") == "Refused pay: $2.40."
    assert told("repay", done="1234.50") == "Restored pay: $1,234.50."


def test_so_are_amounts_among_other_words() -> None:
    beyond = "2.40, 1.30 beyond the budget"
    assert told("repay", done=beyond) == "Restored pay: $2.40, $1.30 beyond the budget."
    back = told("restore", done=f"6 judgments, {beyond}")
    assert back == "Brought the work back: 6 judgments, $2.40, $1.30 beyond the budget."
    assert told("exclude", done="1200 judgments") == "Excluded the work: 1200 judgments."
