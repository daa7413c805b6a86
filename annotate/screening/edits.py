"""Edits and highlights that show little, and ratings that do not go with one's own edits."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from numpy.typing import NDArray

from annotate.common.numbers import number, percent
from annotate.screening import crowd
from annotate.screening.arrays import levels, median_of_others, middles, slopes
from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    Highlights,
    NoticeText,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Task,
    Thresholds,
    Verdict,
    between,
    of_share,
    share_bounds,
    tail,
    within,
)
from annotate.screening.crowd import ranked
from estimation.core import Floats, Ints, distinct, numbered


class Edits(Thresholds):
    """More than `share` of the required edits change under `characters`, or repeat a text.

    of_usual: an edit is short only below this share of what others changed as well: of the same
        output where somebody else edited it, else of any.
    """

    characters: int = between(5, 1, 100)
    of_usual: float = between(0.25, 0.01, 1)
    share: float = between(0.5, 0.1, 0.99)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find_short(columns: Columns, own: Edits, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose share of short or repeated edits exceeds `share` with confidence.

    Short: under `characters` changed, and far fewer than others change. Repeated: the annotator
    submitted the same text for another item (for two outputs of one item, that is honest work).
    """
    people = columns.people.size
    distance = _or(columns.edit_distance, np.full(len(columns.who), np.nan))
    required = np.isfinite(distance)
    limit = np.minimum(
        own.characters, own.of_usual * _usual(columns, distance, required, own.of_usual)
    )
    short = required & (distance < limit)
    repeated = required & _repeated(columns)
    who = columns.who
    n = np.bincount(who[required], minlength=people)
    thin = np.bincount(who[short | repeated], minlength=people)
    low, high = share_bounds(thin, n, own.level)
    return ScreenFinding(
        "short_edits",
        columns.people,
        evidence=tail(thin, n, own.share),
        past=low > own.share,
        value=thin / np.where(n > 0, n, np.nan),
        low=low,
        high=high,
        threshold=own.share,
        n=n,
        enough=(n >= own.minimum) & (people > 1),
        numbers={
            "short": np.bincount(who[short], minlength=people).astype(float),
            "repeated": np.bincount(who[repeated], minlength=people).astype(float),
        },
    )


def _usual(columns: Columns, distance: Floats, required: NDArray[np.bool_], share: float) -> Floats:
    """Return (T,) how much others changed: the geometric mean of the same output, or the median.

    The median is that of people's medians. A text that nobody else edited has the median. Who
    usually changes less than `share` of it is no yardstick for the outputs of others: else those
    who hardly change anything would excuse one another.
    """
    who, size = columns.who, np.log(np.where(required, np.maximum(distance, 1), 1))
    n = np.bincount(who[required], minlength=columns.people.size)
    middle = middles(who[required], size[required], n)
    typical = median_of_others(middle)
    known = required & ~(middle < typical + np.log(share))[who]
    output = columns.text
    others = np.bincount(output, known)[output] - known
    total = np.bincount(output, size * known)[output] - size * known
    own = np.where(others > 0, total / np.maximum(others, 1), typical[who])
    # Of one other, who may be careless too, no more than usual is believed.
    return np.asarray(np.exp(np.nan_to_num(np.minimum(own, typical[who]), nan=np.inf)))


def _repeated(columns: Columns) -> NDArray[np.bool_]:
    """Return (T,) whether the annotator submitted this edit for another item as well."""
    text = columns.edit_text
    if text is None:
        return np.zeros(len(columns.who), dtype=bool)
    item = columns.output if columns.item is None else columns.item
    there = np.flatnonzero(text >= 0)
    group = numbered(columns.who[there] * there.size + numbered(text[there]))
    different = distinct(group * there.size + numbered(item[there])) // max(there.size, 1)
    repeated = np.zeros(text.size, dtype=bool)
    repeated[there] = np.bincount(different, minlength=1)[group] > 1
    return repeated


def _or(column: Floats | None, default: Floats) -> Floats:
    return default if column is None else column


def _short_detail(said: Verdict) -> str:
    short, again = said.numbers.get("short") or 0, said.numbers.get("repeated") or 0
    return f"{within(said, percent)}{short:.0f} short and {again:.0f} repeated of {said.n}."


SHORT_REVIEWERS = of_share(
    "Short edits",
    "edits",
    "of required edits short or repeated",
    _short_detail,
)


def _short_notice(found: Verdict, own: Edits, *, paragraphs: bool) -> NoticeText:
    sentences = []
    short, repeated = found.numbers.get("short"), found.numbers.get("repeated")
    if short is not None and repeated is not None:
        said = _(
            "Of the %(n)d texts that you had to improve, %(short)s changed by fewer than "
            "%(characters)d characters, and %(repeated)s became the same text as another one."
        )
        values = {"n": found.n, "short": number(short, 0), "repeated": number(repeated, 0)}
        sentences.append(said % (values | {"characters": own.characters}))
    limit = _("We look at work where this is more than %(share)s of the edits.")
    return _("Your edits changed little"), [*sentences, limit % {"share": percent(own.share)}]


def _told_distance(task: Task) -> str:
    if task.response.get("edit") is None:
        return ""
    n = task.response["distance"]
    return ngettext("%(n)d character changed", "%(n)d characters changed", n) % {"n": n}


SHORT_ANNOTATORS = ForAnnotators(
    gettext_lazy("edits that change next to nothing, or repeat themselves"),
    _short_notice,
    _told_distance,
)


SHORT_EDITS = Screen(
    "short_edits", "edits", Edits, find_short, SHORT_REVIEWERS, SHORT_ANNOTATORS, recent=True
)


class Consistency(Thresholds):
    """Ratings that go with the own edits less than `threshold` of the usual (0: not at all).

    minimum: the least number of edits.
    """

    threshold: float = between(0.5, 0, 0.9)
    minimum: int = between(8, 8, 1000)


def find_inconsistent(columns: Columns, own: Consistency, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators whose worse ratings do not come with larger edits, as other people's do.

    Per annotator, the slope of the rank of an edit's size on the mean rank of the ratings, both
    from the whole campaign. It compares a person's edits with each other, so the size of their
    edits and the level of their ratings do not matter. value: the slope over the others' slope.
    Without edits there is no evidence.
    """
    people = columns.people.size
    none = np.full(len(columns.who), np.nan)
    size = none if columns.edit_distance is None else columns.edit_distance
    rows = np.isfinite(size) & (len(columns.scores) > 0)
    who, n = columns.who[rows], np.bincount(columns.who[rows], minlength=people)
    worse = -_mean_rank(np.column_stack([c[rows] for c in columns.scores.values()] or [size[rows]]))
    apart = worse - (np.bincount(who, worse, people) / np.maximum(n, 1))[who]
    counts = crowd.counts(columns)
    yardstick = crowd.varied(counts, limits)
    slope, usual, evidence = slopes(who, apart * _rank(size[rows]), apart**2, yardstick)
    value = slope / usual
    enough = (n >= own.minimum) & np.isfinite(value)
    return ScreenFinding(
        "own_consistency",
        columns.people,
        evidence=evidence,
        past=value < own.threshold,
        value=value,
        threshold=own.threshold,
        n=n,
        enough=enough & crowd.large_enough(counts, yardstick, limits),
        numbers={"slope": slope, "usual_slope": usual},
    )


def _mean_rank(answers: Floats) -> Floats:
    """Return (T,) the mean rank of the answers of each judgment, standardised."""
    return _standard(np.mean([_rank(column) for column in answers.T], axis=0))


def _rank(values: Floats) -> Floats:
    """Return mid-ranks with mean 0 and variance 1."""
    _different, which, n = levels(values)
    return ranked(n)[which]


def _standard(values: Floats) -> Floats:
    spread = values.std() if values.size else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros(values.shape)


CONSISTENCY_REVIEWERS = ForReviewers(
    "Own consistency",
    "ratings against own edits",
    "how far ratings go with own edits",
    big=lambda said: number(said.value),
    detail=lambda said: "0: worse ratings do not come with larger edits. 1: as is usual here.",
    limit=lambda said: f"Pauses only below {number(said.threshold)}.",
    axis=lambda values: ScreenAxis(
        min(-0.5, *values), max(1.5, *values), number, flags_above=False
    ),
)


def _consistency_notice(found: Verdict, own: Consistency, *, paragraphs: bool) -> NoticeText:
    sentences = []
    if found.value is not None:
        said = _(
            "People usually change more in texts that they rate lower. On a scale where 0 is not "
            "at all and 1 is usual here, you are at %(value)s."
        )
        sentences.append(said % {"value": number(found.value)})
    return _("Your ratings do not go with your own edits"), sentences


CONSISTENCY_ANNOTATORS = ForAnnotators(
    gettext_lazy("ratings that do not go with one’s own edits"), _consistency_notice
)


OWN_CONSISTENCY = Screen(
    "own_consistency",
    "consistency",
    Consistency,
    find_inconsistent,
    CONSISTENCY_REVIEWERS,
    CONSISTENCY_ANNOTATORS,
)


WAYS = ("one_word", "whole", "disjoint")


class EvidenceThresholds(Thresholds):
    """More than `share` of the judgments have thin highlights, of one of three kinds.

    whole: the share of a paragraph's words from which it counts as highlighted completely.
    paragraph: shorter paragraphs (in words) are ignored, because highlighting all of them is
        normal.
    """

    share: float = between(0.5, 0.1, 0.99)
    whole: float = between(0.9, 0.5, 1)
    paragraph: int = between(20, 2, 1000)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find_thin(columns: Columns, own: EvidenceThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose share of thin judgments exceeds `share` with confidence.

    Judgments are counted, because the highlights of one judgment resemble each other. A judgment is
    thin in one of three ways if more than half of its highlights are: one word; (nearly) the whole
    paragraph; no word in common with the highlights of anyone else with the same verdict there.
    value, interval and n belong to the way with the highest lower bound.
    """
    people = columns.people.size
    found = columns.highlights
    if found is None or columns.verdicts is None:
        return ScreenFinding(
            "thin_evidence",
            columns.people,
            evidence=np.zeros(people),
            past=np.zeros(people, dtype=bool),
            value=np.full(people, np.nan),
            threshold=own.share,
            n=np.zeros(people, dtype=np.int64),
            enough=np.zeros(people, dtype=bool),
        )
    counts = np.stack([_judgments(columns, found, way) for way in _signs(columns, found, own)])
    thin, n = counts[:, 0], counts[:, 1]
    low, high = share_bounds(thin, n, own.level)
    low = np.where(n >= own.minimum, low, 0.0)
    worst, j = low.argmax(axis=0), np.arange(people)
    share = thin / np.where(n > 0, n, np.nan)
    return ScreenFinding(
        "thin_evidence",
        columns.people,
        evidence=tail(thin, n, own.share)[worst, j],
        past=low[worst, j] > own.share,
        value=share[worst, j],
        low=low[worst, j],
        high=high[worst, j],
        threshold=own.share,
        n=n[worst, j].astype(np.int64),
        enough=(n[worst, j] >= own.minimum) & (people > 1),
        numbers={name: share[row] for row, name in enumerate(WAYS)},
    )


def _signs(columns: Columns, found: Highlights, own: EvidenceThresholds) -> list[Floats]:
    """Return (H,) for each way: 1 thin, 0 not, NaN if unknown."""
    words = np.array([len(tokens) for tokens in found.tokens], dtype=np.float64)
    long_ = found.length >= own.paragraph
    one = np.where(found.length > 1, words <= 1, np.nan)
    whole = np.where(long_, words >= own.whole * found.length, np.nan)
    return [one, whole, _disjoint(columns, found)]


def _disjoint(columns: Columns, found: Highlights) -> Floats:
    """Return (H,) 1 if no other with this verdict shares a word, NaN if there is no other."""
    assert columns.verdicts is not None
    verdict = columns.verdicts[found.judgment, found.paragraph]
    place = _numbered_rows(columns.output[found.judgment], found.paragraph, verdict)
    signs = np.full(len(found.tokens), np.nan)
    shared = np.flatnonzero(np.bincount(place, minlength=1)[place] > 1)
    if not shared.size:
        return signs
    size = [len(found.tokens[h]) for h in shared.tolist()]
    row = np.repeat(np.arange(shared.size), size)
    word = np.fromiter(chain.from_iterable(found.tokens[h] for h in shared.tolist()), np.int64)
    same = _numbered_rows(place[shared][row], word)
    # A judgment highlights a paragraph once, so a word that comes twice was marked by two people.
    agreed = np.bincount(row, np.bincount(same)[same] > 1, shared.size)
    signs[shared] = agreed == 0
    return signs


def _numbered_rows(*columns: NDArray[Any]) -> Ints:
    """Return one number for the rows with the same values in all columns, from 0 without gaps."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, which = np.unique(column, return_inverse=True)
        found = np.unique(found * values.size + which, return_inverse=True)[1]
    return found


def _judgments(columns: Columns, found: Highlights, sign: Floats) -> Floats:
    """Return (2, A) how many judgments are thin in this way, and for how many it is known."""
    told = np.isfinite(sign)
    size, people = len(columns.who), columns.people.size
    n = np.bincount(found.judgment[told], minlength=size)
    thin = np.bincount(found.judgment[told], sign[told], minlength=size)
    rows: Ints = np.flatnonzero(n)
    mostly = rows[thin[rows] > n[rows] / 2]
    return np.stack([np.bincount(columns.who[r], minlength=people) for r in (mostly, rows)])


WAYS_TOLD = {
    "one_word": "one word",
    "whole": "whole paragraphs",
    "disjoint": "apart from all others’",
}


def _thin_detail(said: Verdict) -> str:
    shares = [
        f"{words} {percent(said.numbers[name])}"
        for name, words in WAYS_TOLD.items()
        if said.numbers.get(name) is not None
    ]
    listed = ", ".join(shares)
    return f"{within(said, percent)}{listed[:1].upper()}{listed[1:]}."


THIN_REVIEWERS = of_share(
    "Thin evidence",
    "highlights",
    "of judgments on thin highlights",
    _thin_detail,
)


def _thin_notice(found: Verdict, own: EvidenceThresholds, *, paragraphs: bool) -> NoticeText:
    ways = [
        ("one_word", _("a single word: %(share)s of your tasks")),
        ("whole", _("the whole paragraph: %(share)s of your tasks")),
        ("disjoint", _("nothing that anybody else highlighted: %(share)s of your tasks")),
    ]
    shares = [(text, found.numbers.get(way)) for way, text in ways]
    said = "; ".join(text % {"share": percent(part)} for text, part in shares if part is not None)
    most = _("Most of your highlights in a task were %(ways)s.")
    sentences = [most % {"ways": said}] if said else []
    limit = _("We look at work where one of these is more than %(share)s.")
    sentences.append(limit % {"share": percent(own.share)})
    return _("Your highlights do not explain much"), sentences


def _told_highlights(task: Task) -> str:
    each = _("%(n)d of %(all)d words")
    return ", ".join(each % {"n": n, "all": whole} for n, whole in task.highlights)


THIN_ANNOTATORS = ForAnnotators(
    gettext_lazy("highlights that show little"), _thin_notice, _told_highlights
)


THIN_EVIDENCE = Screen(
    "thin_evidence",
    "evidence",
    EvidenceThresholds,
    find_thin,
    THIN_REVIEWERS,
    THIN_ANNOTATORS,
    recent=True,
)
