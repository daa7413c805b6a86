"""The methods paragraphs: how the results came about, in sentences that a paper can take over."""

from collections.abc import Iterator

from annotate.states import Estimand, StopMode
from annotate.text.figures import count, many, moment, money, number, percent, series, short, width
from estimation.selectors.report.facts import HURRIED, CampaignReport
from estimation.selectors.report.sentences import Paragraph, paragraph, sentence

_FOR = {
    Estimand.POPULATION: "They speak for people in general, of whom these annotators are taken to "
    "be a sample: intervals account for variance between items and between annotators, with t "
    "quantiles.",
    Estimand.PANEL: "They speak for exactly these annotators, and not for people in general: "
    "intervals account for variance between items, with t quantiles.",
}

_ENTERS = {
    "normal_scores": "Each metric enters as the normal scores of its mid-ranks over all outputs of "
    "all systems, so that no extreme value can move an estimate far.",
    "signed_scores": "Each metric enters as the signed normal scores of the differences between "
    "the two texts, so that no extreme value can move an estimate far.",
    "raw": "Metrics enter with their own values.",
}


def methods(report: CampaignReport) -> tuple[Paragraph, ...]:
    """Return how it was judged, how it was estimated, and what else a reader asks."""
    parts = (_judging(report), _estimating(report), _besides(report))
    return tuple(found for one in parts if (found := paragraph(one)))


def _judging(report: CampaignReport) -> Iterator[Paragraph]:
    facts, campaign, counts = report.facts, report.campaign, report.board.progress
    systems, outputs = report.counted
    yield sentence(
        f"People {'compared' if facts.compares else 'judged'} texts by {{}} ({{}}).",
        systems,
        series(one.name for one in facts.systems) if facts.systems else "none yet",
    )
    yield sentence(
        "Of {}, {} were judged, drawn in an order that the seed {} fixes; {} of them were "
        "planned for two people.",
        outputs,
        count(counts.outputs_judged),
        campaign.seed,
        percent(facts.double_share),
    )
    rows = [cell.row for cell in report.board.primary if cell.row]
    if groups := [row.detail["groups"] for row in rows if row.detail.get("groups")]:
        yield sentence(
            "Items come in groups, which were drawn whole; intervals take the groups, of which up "
            "to {} of {} were judged, as what was sampled.",
            *map(count, max(groups)),
        )
    yield sentence(
        f"Annotators worked on “{{}}” (version {{}}), {_shown(report)}.",
        report.instrument.label,
        report.instrument.version,
    )
    yield from _crowd(report)
    yield from _rule(report)


def _shown(report: CampaignReport) -> str:
    if report.facts.compares:
        return "two texts of an item side by side in random order, without their systems"
    if report.instrument.shows_others:
        return (
            "all texts of an item side by side in random order, without their systems, and rated "
            "them one after the other; ratings are relative to the texts beside them"
        )
    return "one text at a time, without its system"


def _crowd(report: CampaignReport) -> Iterator[Paragraph]:
    people, cap = report.work.people, report.facts.annotator_cap
    yield sentence("They came from {}.", report.crowd)
    if people.begun:
        yield sentence(
            "{} began the tutorial, and {} passed it.",
            many(people.begun, "person", "people"),
            count(people.passed),
        )
    if cap is not None:
        yield sentence(
            "Each judged at most {}.", many(cap, "pair" if report.facts.compares else "text")
        )


def _rule(report: CampaignReport) -> Iterator[Paragraph]:
    facts, counts = report.facts, report.board.progress
    if facts.is_ranking:
        margins = series(f"{short(value)} on {name}" for name, value in facts.margins.items())
        yield sentence(
            "Collection was to stop when every pair of systems was decided, preferences nearer "
            "than {} to a tie not mattering, with an error of at most {} for all pairs and looks "
            "together."
            if facts.compares
            else "Collection was to stop when every pair of systems was decided, differences below "
            "{} not mattering, with an error of at most {} for all pairs and looks together.",
            margins,
            percent(1 - facts.level),
        )
    elif facts.targets:
        targets = series(f"{width(value)} wide on {name}" for name, value in facts.targets.items())
        kind = (
            "interval, valid at every look," if facts.stop_mode == StopMode.ANYTIME else "interval"
        )
        yield sentence(
            f"Collection was to stop when the {{}} {kind} of every system was at most {{}}.",
            percent(facts.level),
            targets,
        )
    judged, people = (
        many(counts.judged, "judgment"),
        many(report.work.people.judged, "person", "people"),
    )
    if facts.is_final and facts.closed_at:
        yield sentence(
            "It ended on {} because {}, after {} by {}.",
            moment(facts.closed_at, "day year"),
            facts.why_closed or "it was closed",
            judged,
            people,
        )
        if report.board.ended_early:
            yield sentence(report.board.ended_early)
    else:
        yield sentence("So far there are {} by {}; these results are not final.", judged, people)


def _estimating(report: CampaignReport) -> Iterator[Paragraph]:
    facts, board, protocol = report.facts, report.board, report.protocol
    if not protocol:
        return
    if facts.metrics:
        kind = "metric" if len(facts.metrics) == 1 else "metrics together"
        yield sentence(
            f"Means are control-variates estimates with {{}} as the automatic {kind}, fixed before "
            "the first judgment (estimator “{}”).",
            series(facts.metrics),
            protocol.estimator,
        )
        yield sentence(_ENTERS[protocol.metric_transform])
    else:
        yield sentence("Means are of the judgments alone (estimator “{}”).", protocol.estimator)
    if wrong := [cell.name for cell in board.primary if cell.shown and cell.off_scale]:
        yield sentence(
            "The numbers of {} are wrong: an estimate, or the middle of its interval, lies off the "
            "scale.",
            series(wrong),
        )
    yield sentence(_FOR[Estimand(facts.estimand)])
    if board.effective_annotators is not None:
        yield sentence(
            "The effective number of annotators is at least {}.",
            number(board.effective_annotators, 1),
        )
    if any(table.shown for table in board.comparisons):
        yield _differences(report)
    yield from _ranked(report)


def _differences(report: CampaignReport) -> Paragraph:
    n = max(len(table.contrasts) for table in report.board.comparisons)
    if report.facts.is_ranking:
        return sentence(
            "Differences are paired by item; the intervals of all {} hold together, at every look.",
            many(n, "pair"),
        )
    return sentence(
        "Differences are paired by item, each with its own interval; p-values are adjusted after "
        "Holm for {} on each criterion.",
        many(n, "pair"),
    )


def _ranked(report: CampaignReport) -> Iterator[Paragraph]:
    for one in report.board.ranking.each if report.board.is_shown else ():
        yield sentence(
            "By {}, the places are {} ({} of {} decided).",
            one.criterion.name,
            one.in_words,
            count(len(one.pairs) - len(one.open_pairs)),
            many(len(one.pairs), "pair"),
        )


def _besides(report: CampaignReport) -> Iterator[Paragraph]:
    pay, board = report.work.pay, report.board
    yield sentence("{}", board.sensitivity.summary)
    for one in board.agreed:
        if one.is_shown and one.in_words:
            yield sentence("On {}: {}", one.criterion.name, one.in_words)
        if one.is_shown and one.row.alpha is not None:
            yield sentence(
                "Krippendorff’s alpha for {} is {} ({}, {}).",
                one.criterion.name,
                number(one.row.alpha),
                _interval(one.row.low, one.row.high),
                one.evidence,
            )
    yield sentence("A judgment was paid {}.", money(pay.reward) if pay.reward else "nothing")
    if pay.hourly is not None:
        yield sentence("The median person earned {} an hour of active time.", money(pay.hourly))
    if pay.hurried:
        yield sentence("{}.", HURRIED)
    if report.work.at is not None:
        yield sentence(
            "Times, pay for an hour and the number of people whose judgments count are of {}.",
            moment(report.work.at, "year"),
        )


def _interval(low: float | None, high: float | None) -> str:
    return "no interval" if low is None else f"interval {number(low)} to {number(high)}"
