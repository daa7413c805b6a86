"""What exclusions change: with and without, side by side, on the page, in the API and in words."""

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.campaigns import life
from annotate.campaigns import lists as campaigns_lists
from annotate.models import Campaign
from annotate.review import effects
from estimation.models import Estimate
from estimation.pages import numbers
from estimation.pages.dashboard import Dashboard
from estimation.pages.numbers import Sensitivity
from tests import remembered
from tests.estimation.reviewed import exclude, settle, take_turns
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


def study(ada: User, **changes: Any) -> Campaign:
    settings = {"items": 60, "systems": ("alpha",), "targets": {"overall": 1.6}, "double_share": 0}
    return campaign(owner=ada, **(settings | changes))


def lenient(ada: User, **changes: Any) -> Campaign:
    """30 judgments of -1 by 6 people, and 4 of 1 by somebody whose work is then excluded."""
    return remembered.again(_lenient, ada, **changes)


def _lenient(ada: User, **changes: Any) -> Campaign:
    made = study(ada, **changes)
    for i in range(30):
        judge(person(made, f"p{i % 6}"), overall=-1, edit="It met on Monday, they say.")
    other = person(made, "other")
    for _ in range(4):
        judge(other)
    settle(made)
    exclude(other, ada, "too_fast", "no_variation")
    return settle(made)


def found(made: Campaign) -> Sensitivity:
    return numbers.sensitivity_of(campaigns_lists.facts(made))


def board(client: Client, made: Campaign) -> Dashboard:
    return page(client, made).context["board"]


def page(client: Client, made: Campaign) -> Any:
    return client.get(reverse("estimation:dashboard", args=[made.public_id]))


@pytest.mark.slow
def test_nothing_excluded_is_said_plainly(client: Client, ada: User) -> None:
    made = study(ada)
    take_turns([person(made, f"p{i}") for i in range(6)], 12)
    settle(made)
    seen = found(made)
    assert seen.summary.startswith("No work is excluded")
    assert "No work is excluded" in page(client, made).content.decode()
    (row,) = seen.rows
    assert (row.whole, row.shift, row.moves) == (None, None, False)


@pytest.mark.slow
def test_both_numbers_and_the_counts(client: Client, ada: User) -> None:
    made = lenient(ada, targets={"overall": 0.01})
    (row,) = found(made).rows
    assert row.row is not None
    assert row.whole is not None
    assert row.row.estimate == pytest.approx(-1)
    assert row.whole["estimate"] > -0.9
    assert row.shift == pytest.approx(row.row.estimate - row.whole["estimate"])
    assert (row.left_out, row.row.n_judgments, row.whole["n_judgments"]) == (4, 30, 34)
    out = found(made).excluded
    assert (out.judgments, out.annotators) == (4, 1)
    assert [(r.screen, r.annotators, r.judgments) for r in out.reasons] == [
        ("no_variation", 1, 4),
        ("too_fast", 1, 4),
    ]
    exclude(person(made, "p0"), ada)
    settle(made)
    out = found(made).excluded
    assert (out.judgments, out.annotators) == (9, 2)
    assert out.reasons[-1] == effects.Reason("by_hand", 1, 5)
    text = page(client, made).content.decode()
    assert "9 judgments of 2 annotators are excluded" in text
    assert "no screen, by hand: 1" in text


@pytest.mark.parametrize(("shift", "moves"), [(0.099, False), (0.101, True), (-0.101, True)])
@pytest.mark.slow
def test_a_move_of_more_than_the_half_width_is_said(
    client: Client, ada: User, shift: float, moves: bool
) -> None:
    made = lenient(ada, targets={"overall": 0.01})
    row = Estimate.objects.filter(campaign=made, criterion="overall").latest("id")
    whole = {"estimate": 0.4 - shift, "low": 0.2, "high": 0.6, "width": 0.4, "n_judgments": 34}
    row.pk, row.estimate, row.low, row.high, row.width = None, 0.4, 0.3, 0.5, 0.2
    row.detail = {**row.detail, "with_excluded": whole}
    row.save()
    seen = found(made)
    assert [one.moves for one in seen.rows] == [moves]
    assert ("by more than the half-width of the interval (alpha, Overall)" in seen.summary) == moves
    assert ("moves no estimate" in seen.summary) == (not moves)
    text = page(client, made).content.decode()
    assert ("shift beyond the half-width" in text) == moves


@pytest.mark.slow
def test_an_estimate_of_which_nothing_is_left_is_told(client: Client, ada: User) -> None:
    made = study(ada)
    for name in ("a", "b"):
        for _ in range(3):
            judge(person(made, name))
    settle(made)
    for name in ("a", "b"):
        exclude(person(made, name), ada)
    settle(made)
    assert "no estimate is left" in page(client, made).content.decode()
    assert "Nothing is left of 1 of 1 estimates (alpha, Overall)." in found(made).summary
    (row,) = found(made).rows
    assert row.shift_state.word == "no estimate is left"


# ---- after closing -----------------------------------------------------------------------------


def closed(ada: User) -> Campaign:
    return remembered.again(_closed, ada)


def _closed(ada: User) -> Campaign:
    made = study(ada)
    assert take_turns([person(made, f"p{i}") for i in range(8)], 40) == 40
    settle(made)
    assert made.status == "closed"
    return made


@pytest.mark.slow
def test_an_exclusion_after_closing_shows_a_banner_and_offers_reopening(
    client: Client, ada: User
) -> None:
    made = closed(ada)
    assert board(client, made).widened == []
    before = board(client, made).primary[0].row
    assert before is not None
    for i in range(6):
        exclude(person(made, f"p{i}"), ada)
    settle(made)
    ((_cell, was),) = board(client, made).widened
    assert was == before.width
    answer = page(client, made)
    text = answer.content.decode()
    assert 'id="widened"' in text
    assert "the work of 6 annotators was excluded. It stays closed." in text
    assert answer.context["board"].advice.act == "reopen"
    assert reverse("annotate:act", args=[made.public_id, "reopen"]) in text
    life.reopen(made.pk, actor_id=ada.pk, why="Six were excluded.")
    assert 'id="widened"' not in page(client, made).content.decode()


@pytest.mark.slow
def test_no_banner_where_the_target_is_kept_or_was_never_reached(client: Client, ada: User) -> None:
    made = closed(ada)
    exclude(person(made, "p0"), ada)
    settle(made)
    assert board(client, made).excluded.annotators_since == 1
    assert board(client, made).widened == []
    never = study(ada, targets={"overall": 0.01})
    take_turns([person(never, f"p{i}") for i in range(8)], 40)
    settle(never)
    life.close(never.pk, Campaign.Reason.HAND)
    life.finish(never.pk)
    settle(never)
    exclude(person(never, "p0"), ada)
    settle(never)
    assert board(client, never).widened == []


# ---- why a closing campaign waits --------------------------------------------------------------


# ---- the API -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_api_shows_both_and_why(ada: User) -> None:
    made = lenient(ada, targets={"overall": 0.01})
    api = APIClient()
    api.force_login(ada)
    at = f"/api/v1/campaigns/{made.public_id}/"
    rows = api.get(f"{at}estimates/").json()["results"]
    overall = next(row for row in rows if row["criterion"] == "overall")
    assert overall["with_excluded"]["n_judgments"] == overall["n_judgments"] + 4
    assert set(overall["with_excluded"]) == {"estimate", "low", "high", "width", "n_judgments"}
    got = api.get(f"{at}sensitivity/").json()
    assert got["excluded"]["judgments"] == 4
    assert {one["screen"] for one in got["excluded"]["reasons"]} == {"too_fast", "no_variation"}
    (row,) = got["estimates"]
    assert row["without"]["n_judgments"] == 30
    assert row["with_excluded"] == overall["with_excluded"]
    assert row["shift"] == row["without"]["estimate"] - row["with_excluded"]["estimate"]
    out = StringIO()
    call_command("sensitivity", made.public_id, "--json", stdout=out)
    assert json.loads(out.getvalue()) == got
    out = StringIO()
    call_command("sensitivity", made.public_id, stdout=out)
    assert "30 judgments) without excluded work" in out.getvalue()
    assert got["summary"] in out.getvalue()
    with pytest.raises(CommandError, match="no campaign"):
        call_command("sensitivity", "nowhere")
    eve = APIClient()
    eve.force_login(user("eve"))
    for part in ("sensitivity/", "agreement/"):
        assert eve.get(at + part).status_code == 404


@pytest.mark.slow
def test_the_api_tells_agreement_by_pseudonym(ada: User) -> None:
    made = study(ada, double_share=1.0, targets={"overall": 0.01})
    take_turns([person(made, f"worker-{i}") for i in range(4)], 24)
    settle(made)
    api = APIClient()
    api.force_login(ada)
    at = f"/api/v1/campaigns/{made.public_id}/agreement/"
    rows = {row["criterion"]: row for row in api.get(at).json()["results"]}
    assert rows["edit"]["distance"] == "interval"
    assert rows["overall"]["distance"] == "ordinal"
    assert rows["overall"]["alpha"] is not None
    names = set(made.participations.values_list("annotator__pseudonym", flat=True))
    assert {one["annotator"] for one in rows["overall"]["without"]} <= names
    assert "worker-" not in api.get(at).content.decode()
    assert len(api.get(f"{at}?history=1").json()["results"]) >= len(rows)
