"""The items of a campaign, and one of them with every judgment. Reviewers see no systems."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import Access, access, look, researcher_page
from annotate.selectors.review.items import listing, wanted
from annotate.selectors.review.items import page as selectors
from annotate.selectors.review.items.page import ItemPage, JudgedOutput, JudgmentStanding
from annotate.selectors.review.judgments import AnnotatorWork, ComparedJudgment, Judged
from annotate.states import ItemMeasure
from annotate.text.overlays import OverlaidPiece, overlaid
from annotate.views.review import comparisons
from annotate.views.review.comparisons import JudgeLine


@dataclass(frozen=True)
class OverlaidText:
    """A text with the highlights of everybody who marked something in it; `by`: their names."""

    title: str
    by: tuple[str, ...]
    pieces: tuple[OverlaidPiece, ...]


@dataclass(frozen=True)
class ItemOutput:
    """One output as the page shows it; `lines`: each judgment, with why it does not count."""

    output: JudgedOutput
    lines: tuple[tuple[JudgeLine, JudgmentStanding], ...]
    overlays: tuple[OverlaidText, ...]

    @property
    def edits(self) -> list[JudgeLine]:
        return [line for line, _standing in self.lines if line.diff]


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest, public_id: str) -> HttpResponseBase:
    mine = access(request.user, public_id)
    systems = _sees_systems(mine)
    asked = wanted.wanted(mine.campaign, request.GET, systems=systems)
    found = listing.page(mine.campaign, asked)
    context = {
        "campaign": mine.campaign,
        "listing": found.listing,
        "found": found,
        "rows": found.rows,
        "scale": found.listing.asked_criterion,
        "edits": ItemMeasure.EDITED in found.listing.sorts,
        "systems": systems,
        "section": "campaigns",
    }
    return render(request, "campaigns/items.html", context)


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    mine = access(request.user, public_id)
    systems = _sees_systems(mine)
    found = selectors.of(mine.campaign, number, systems=systems)
    context = {
        "campaign": mine.campaign,
        "item": found,
        "outputs": [_shown(one, found.work) for one in found.outputs],
        "columns": comparisons.columns(found.work),
        "judgments": _counting(found),
        "systems": systems,
        "section": "campaigns",
    }
    return render(request, "campaigns/item.html", context)


def _sees_systems(mine: Access) -> bool:
    """Return whether the page names systems; it is noted that this person sees results."""
    if mine.sees_results:
        look(mine)
    return mine.sees_results


def _counting(found: ItemPage) -> int:
    return sum(not standing for one in found.outputs for _judged, standing in one.judged)


def _shown(one: JudgedOutput, work: AnnotatorWork) -> ItemOutput:
    rows = [
        (comparisons.line(judged, _alone(one, judged), work), standing)
        for judged, standing in one.judged
    ]
    return ItemOutput(one, tuple(rows), tuple(_overlays(one, work)))


def _alone(one: JudgedOutput, judged: Judged) -> ComparedJudgment:
    return ComparedJudgment(judged, (), None, one.material)


def _overlays(one: JudgedOutput, work: AnnotatorWork) -> Iterable[OverlaidText]:
    """Yield each marked text once, with what everybody whose answer stands marked in it."""
    texts: dict[tuple[str, str], dict[str, list[list[int]]]] = {}
    for judged, standing in one.judged:
        if standing == JudgmentStanding.SUPERSEDED:
            continue
        for found in work.instrument.highlights(judged.response, one.material):
            theirs = texts.setdefault((found.title, found.text), {})
            theirs.setdefault(judged.pseudonym, []).extend(map(list, found.spans))
    for (title, text), marks in texts.items():
        yield OverlaidText(title, tuple(marks), overlaid(text, marks))
