"""What annotators may know of reviews of their own work, without other people and systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeGuard

from annotate.instruments.base import Instrument
from annotate.models import Judgment, Participation, Payout, Review, Ruling
from annotate.screening.screens import Settings
from annotate.selectors.campaigns import outputs
from annotate.selectors.review import appeal_rights, records, screening
from annotate.selectors.review.appeal_rights import Ground
from annotate.selectors.review.records import AppealRecord, Fired
from annotate.selectors.studies import instruments
from estimation.metrics import word_spans

EXCERPT = 80


@dataclass(frozen=True)
class OwnRuling:
    """A reviewer's decision. The reviewer's name stays with the researcher.

    opened: the reviewer had opened the case.
    """

    act: str
    reason: str
    at: datetime
    opened: bool | None


@dataclass(frozen=True)
class Appealing:
    """Whether they may appeal now, until when (None: as long as the block lasts), and who answers.

    answerer: "same" if only the person who decided can; "another" if another person does; "" if
        there is no ruling.
    """

    can: bool
    until: datetime | None
    is_over: bool
    answerer: str


@dataclass(frozen=True)
class Looked:
    """A review of a person's work: its state, and how they may appeal against it.

    blocked: whether the researcher's studies are closed to them, wherever that was decided.
    appeal: None if this review contains nothing to appeal against.
    """

    status: str
    pay_refused: bool
    blocked: bool
    notices: tuple[Fired, ...]
    rulings: tuple[OwnRuling, ...]
    appeals: tuple[AppealRecord, ...]
    appeal: Appealing | None
    settings: Settings

    @property
    def person_looked(self) -> bool:
        """Return whether the author of the last ruling on the work had opened the case."""
        blocks = (Ruling.Act.BLOCK, Ruling.Act.UNBLOCK)
        about = [one for one in self.rulings if one.act not in blocks]
        return bool(about and about[-1].opened)


@dataclass(frozen=True)
class Blocked:
    """A block that was decided after work in another study of the researcher's.

    The page of that study gives the reason.
    """

    appeals: tuple[AppealRecord, ...]
    appeal: Appealing


@dataclass(frozen=True)
class OwnStanding:
    """What was noticed and decided about a person, as far as it concerns this study."""

    looked: Looked | None = None
    blocked: Blocked | None = None

    @property
    def form(self) -> str:
        """Return the subject of the only appeal form: "looked", "blocked" or "" (no form)."""
        if self.looked and self.looked.appeal and self.looked.appeal.can:
            return "looked"
        return "blocked" if self.blocked and self.blocked.appeal.can else ""


@dataclass(frozen=True)
class OwnTask:
    """One submitted task, with the details that its annotator may remember.

    highlights: (highlighted words, words of the paragraph) of each highlighted paragraph.
    """

    number: int
    excerpt: str
    seconds: float
    response: Mapping[str, Any]
    highlights: tuple[tuple[int, int], ...]


def standing_of(participation_id: int) -> OwnStanding:
    """Return the state of this annotator; empty while their identity is not confirmed."""
    who = Participation.objects.get(pk=participation_id)
    if not who.is_sure:
        return OwnStanding()
    review = (
        Review.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("campaign")
        .first()
    )
    found = appeal_rights.ground(who.campaign_id, who.annotator_id)
    here = next((one for one in found if one.review == review), None)
    there = next((one for one in found if one.review != review), None)
    blocked = there is not None or (here is not None and here.block is not None)
    return OwnStanding(
        looked=_looked(review, here, blocked=blocked) if _concerns(review, here) else None,
        blocked=_blocked(there) if there else None,
    )


def _concerns(review: Review | None, ground: Ground | None) -> TypeGuard[Review]:
    """Return whether a review concerns its annotator: to be listed has no consequence for them."""
    if review is None:
        return False
    return review.status != Review.Status.LISTED or ground is not None


def _looked(review: Review, ground: Ground | None, *, blocked: bool) -> Looked:
    return Looked(
        status=review.status,
        pay_refused=review.pay_refused,
        blocked=blocked,
        notices=records.signs(one for one in records.flags([review.pk])[review.pk] if one.pauses),
        rulings=tuple(_ruled(ruling) for ruling in review.rulings.order_by("pk")),
        appeals=records.appeals(review.pk),
        appeal=_appealing(ground) if ground else None,
        settings=Settings.from_dict(review.campaign.screening),
    )


def _blocked(ground: Ground) -> Blocked:
    """Return the block and what was written since; earlier texts belong to the other study."""
    assert ground.block is not None, "what is elsewhere concerns this study by its block alone"
    since = ground.block.ruling.at
    said = records.appeals(ground.review.pk)
    return Blocked(
        appeals=tuple(one for one in said if one.made_at >= since),
        appeal=_appealing(ground),
    )


def _appealing(ground: Ground) -> Appealing:
    answerers = appeal_rights.answerers(ground.review.pk)
    decided = "another" if answerers.others else "same"
    answerer = decided if answerers.rulers else ""
    return Appealing(ground.is_open, ground.until, ground.is_over, answerer)


def tasks(participation_id: int) -> list[OwnTask]:
    """Return what this annotator has certainly submitted in the campaign, in order."""
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    found = (
        screening.known()
        .filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("output__item")
        .order_by("pk")
    )
    asked = instruments.of(who.campaign)
    return [_task(number, judgment, asked) for number, judgment in enumerate(found, start=1)]


def payouts(participation_id: int) -> list[tuple[datetime, Decimal]]:
    """Return (time, amount) of each recorded payment, with reversed ones as negative amounts."""
    rows = Payout.objects.filter(participation=participation_id).order_by("pk")
    return list(rows.values_list("at", "amount"))


def _ruled(ruling: Ruling) -> OwnRuling:
    return OwnRuling(ruling.act, ruling.reason, ruling.at, ruling.opened)


def _task(number: int, judgment: Judgment, instrument: Instrument) -> OwnTask:
    output, item = judgment.output, judgment.output.item
    seen = outputs.shown(judgment.annotator_id, output.pk, output.text, item.input, item.paragraphs)
    text = instrument.shown(seen)
    return OwnTask(
        number=number,
        excerpt=text if len(text) <= EXCERPT else f"{text[:EXCERPT].rstrip()}…",
        seconds=screening.seconds(judgment.active_seconds, judgment.elapsed_seconds),
        response=judgment.response,
        highlights=tuple(_highlights(judgment, instrument)),
    )


def _highlights(judgment: Judgment, instrument: Instrument) -> list[tuple[int, int]]:
    return [
        (
            sum(len(word_spans(one.text[start:end])) for start, end in one.spans),
            len(word_spans(one.text)),
        )
        for one in instrument.highlights(judgment.response, outputs.material(judgment.output))
    ]
