"""The evidence of a review, against answers worked out by hand."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.campaigns.problems import Row
from annotate.common.text import word_diff
from annotate.models import Assignment, Campaign, Flag, LedgerEntry, Participation, Ruling
from annotate.pay import payouts
from annotate.review import effects, evidence, evidence_views, rulings
from annotate.screening import SCREENS
from annotate.screening.base import ScreenAxis
from annotate.work import submitting
from tests import reviewed
from tests.factories import campaign, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PARAGRAPHS = ("It opened in 1936 with a cow.", "Oak was used.", "A mail boat rowed over.")


def work(who: Participation) -> evidence.AnnotatorWork:
    return evidence.work(who.campaign, who.annotator_id)


def doubled(**changes: Any) -> Campaign:
    """One output that everybody may judge, three times at most."""
    return campaign(owner=user(), items=1, systems=("alpha",), double_share=1.0, **changes)


def test_distances_matrices_and_marks_by_hand() -> None:
    made = campaign(owner=user(), items=2, systems=("alpha",), double_share=1.0)
    mine, other = person(made, "mine"), person(made, "other")
    judge(mine)
    judge(mine, overall=0, edit="The council met on a Monday.")
    judge(other, overall=-1, redundancy=0, edit="The council of the district met.")
    judge(other, overall=0, edit="The council met.")
    found = work(mine)
    assert [one.distance for one in found.all] == pytest.approx([(0 + 1 / 2 + 2 / 2) / 3, 0])
    first, second = found.all
    assert [first.alone((name, 0)) for name in ("fluency", "redundancy", "overall")] == [
        False,
        True,
        True,
    ]
    assert (first.alone_in_editing, second.alone_in_editing) == (True, False)
    overall = found.matrices[2]
    assert [level for level, _label in overall.question.levels] == [1, 0, -1]
    assert overall.counts == ((0, 0, 1), (0, 1, 0), (0, 0, 0))
    assert (overall.n, overall.same, found.shared) == (2, 1, 2)


def test_excluded_others_are_no_yardstick() -> None:
    made = doubled()
    mine, other = person(made, "mine"), person(made, "other")
    judge(mine)
    judge(other, overall=-1, edit="The council met.")
    assert work(mine).shared == 1
    review = reviewed.flagged(other)
    owner = made.memberships.get().user_id
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    assert work(mine).shared == 0
    assert work(other).shared == 1
    assert work(other).all[0].mine.counts is False


def correctness() -> Campaign:
    row = Row(
        item="i",
        system="alpha",
        output="in 1936",
        reference="",
        metrics={},
        input="when did it open",
        paragraphs=PARAGRAPHS,
    )
    return campaign(
        owner=user(),
        rows_=[row],
        instrument="answer_correctness",
        double_share=1.0,
        targets={"any_correct": 0.2},
        metrics=(),
    )


def answer(who: Participation, *values: int, plausible: bool = True) -> None:
    assignment: Assignment = leased(who)
    verdicts = [
        {"value": value, "confirmed": True, "spans": [{"start": 0, "end": 2, "text": text[:2]}]}
        for value, text in zip(values, PARAGRAPHS, strict=False)
    ]
    submitting.submit_judgment(
        assignment.pk,
        participation_id=who.pk,
        raw={"plausible": plausible, "verdicts": verdicts},
    )


def test_paragraphs_are_compared_one_by_one_and_evidence_is_shown() -> None:
    made = correctness()
    mine, other = person(made, "mine"), person(made, "other")
    answer(mine, 1, 0, -1)
    answer(other, 1, 0, 1)
    found = work(mine)
    (one,) = found.all
    assert one.distance == pytest.approx((0 + 0 + 0 + 2 / 2) / 4)
    paragraph = found.matrices[1]
    assert paragraph.counts == ((1, 0, 0), (0, 1, 0), (1, 0, 0))
    ((_output, lines),) = evidence_views.compared(found, 1)
    own = lines[0]
    assert evidence_views.columns(found) == ["Plausible", "Paragraphs"]
    assert [(cell.text, cell.off) for cell in own.cells] == [
        ("yes", False),
        ("1 correct, ≠ 3 incorrect", True),
    ]
    assert [(title, pieces[0]) for title, pieces in own.shown] == [
        ("Paragraph 1", ("It", True)),
        ("Paragraph 3", ("A ", True)),
    ]
    assert not own.shown[0][1][1][1]


def test_an_implausible_answer_is_compared_in_that_alone() -> None:
    made = correctness()
    mine, other = person(made, "mine"), person(made, "other")
    answer(mine, plausible=False)
    answer(other, 1, 0, 1)
    (one,) = work(mine).all
    assert one.distance == 1
    assert [matrix.question.name for matrix in work(mine).matrices] == ["plausible"]


@pytest.mark.slow
def test_effects_before_and_after() -> None:
    review = reviewed.case(user())
    made, who = review.campaign_id, review.annotator_id
    before = effects.effects(made, who)
    assert (before.counting, before.excluded, before.at_stake, before.refused) == (
        6,
        0,
        Decimal("2.40"),
        0,
    )
    owner = review.campaign.memberships.get().user_id
    acts = [Ruling.Act.EXCLUDE, Ruling.Act.REFUSE]
    done = rulings.rule(review.pk, acts, actor_id=owner, reason="Spam.")
    after = effects.effects(made, who)
    assert (after.counting, after.excluded, after.at_stake, after.refused) == (
        0,
        6,
        0,
        Decimal("2.40"),
    )
    told = effects.past_effects([ruling.pk for ruling in done])
    assert (told.out, told.back, told.refused, told.restored) == (6, 0, Decimal("2.40"), 0)
    (back,) = rulings.rule(
        review.pk, [Ruling.Act.RESTORE], actor_id=owner, reason="", seen=done[-1].pk
    )
    told = effects.past_effects([back.pk])
    assert (told.out, told.back, told.refused, told.restored) == (0, 6, 0, Decimal("2.40"))


@pytest.mark.slow
def test_what_is_due_is_what_was_not_paid_yet() -> None:
    review = reviewed.case(user())
    made, owner = review.campaign, review.campaign.memberships.get().user_id
    who = Participation.objects.get(campaign=made, annotator=review.annotator_id)
    LedgerEntry.objects.create(
        campaign=made, participation=who, kind="tutorial", amount=Decimal("0.75"), fee=0, key="t"
    )

    def due() -> tuple[Decimal, Decimal]:
        found = effects.effects(made.pk, who.annotator_id)
        return found.due, found.at_stake

    assert due() == (Decimal("3.15"), Decimal("2.40"))
    payouts.mark_paid(payouts.prepare(made.pk, actor_id=owner).pk, actor_id=owner)
    assert due() == (0, 0)
    gift = payouts.Gift(payouts.Kind.BONUS, who.annotator.pseudonym, Decimal("0.50"), "Care.", "k")
    payouts.give(made.pk, gift, actor_id=owner)
    assert due() == (Decimal("0.50"), 0), "what was given is no pay for the work"


def drawn(others: Sequence[float], **said: float | None) -> evidence_views.Strip:
    """Return the strip of a verdict with its threshold at a half of the axis."""
    axis = ScreenAxis(0, 1, lambda value: f"{value:.0%}", flags_above=True)
    words = replace(SCREENS["short_edits"].reviewers, axis=lambda _values: axis)
    verdict = replace(reviewed.fired("short_edits"), threshold=0.5, **said)  # type: ignore[arg-type]
    return evidence_views.strip(words, evidence.Screened(verdict, tuple(others)))


def test_a_strip_puts_values_thresholds_and_zones_in_their_places() -> None:
    strip = drawn([0.0, 0.0, 1.0], value=0.25, low=0.0, high=2.0)
    assert strip.me is not None
    assert (strip.me.x, strip.threshold.x, strip.interval) == (81.0, 152.0, (10.0, 294.0))
    assert strip.zone == (152.0, 142.0)
    assert len(set(strip.dots)) == 3
    assert [end.label for end in strip.ends] == ["0%", "100%"]


def test_a_strip_of_thousands_keeps_its_shape_and_draws_each_pixel_once() -> None:
    strip = drawn([0.2] * 2000 + [0.7] * 1000, value=None, low=None, high=None)
    columns = [sorted(y for x, y in strip.dots if (x < 150) is low) for low in (True, False)]
    assert len(set(strip.dots)) == len(strip.dots) < 60
    tall, short = (column[-1] - column[0] for column in columns)
    assert tall == pytest.approx(2 * short, abs=2)
    assert tall > 20


@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_has_words_also_without_a_value(screen: str) -> None:
    flag = reviewed.fired(screen)
    assert evidence_views.brief(flag).endswith(".")
    words = SCREENS[screen].reviewers
    assert words.detail(flag) is not None
    assert words.axis([0.5]).low < words.axis([0.5]).high


def test_a_screen_that_first_listed_and_then_paused_somebody_is_told_once() -> None:
    first = replace(reviewed.fired("short_edits"), n=12, tier="list")
    later = replace(first, n=15, value=0.9, tier="pause")
    other = reviewed.fired("too_fast")
    told = evidence_views.flags(
        Flag(screen=one.screen, tier=one.tier, verdict=asdict(one)) for one in (first, other, later)
    )
    assert [title for title, _line in told] == ["Short edits", "Too fast"]
    assert told[0][1] == evidence_views.brief(later) != evidence_views.brief(first)


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("a b", "a b", [("same", "a b")]),
        ("a b c", "a c", [("same", "a "), ("out", "b "), ("same", "c")]),
        ("It’s on.", "It is on.", [("out", "It’s"), ("in", "It is"), ("same", " on.")]),
        ("if x:\r\n\ty\r\n", "if x:\n    y", [("same", "if x:\n    y")]),
        ("a\tb\nc", "a b\n\nc", [("same", "a b"), ("out", "\n"), ("in", "\n\n"), ("same", "c")]),
    ],
)
def test_words_taken_out_and_put_in(before: str, after: str, runs: list[tuple[str, str]]) -> None:
    assert [(run.kind, run.text) for run in word_diff(before, after)] == runs


PIECES = st.lists(st.sampled_from(["a", "b", "é", "語", " ", "\t", "\n", "\r\n", ".", "x-y"]))


@pytest.mark.slow
@given(PIECES, PIECES)
@settings(max_examples=300, deadline=None)
def test_the_runs_are_both_texts_whatever_they_are(before: list[str], after: list[str]) -> None:
    runs = word_diff("".join(before), "".join(after))
    new = "".join(run.text for run in runs if run.kind != "out")
    assert new == "".join(after).replace("\r\n", "\n").rstrip()
    old = "".join(run.text for run in runs if run.kind != "in")
    assert old.split() == "".join(before).split()
