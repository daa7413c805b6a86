"""The report of a campaign: its facts, its methods in sentences, and a checklist's answers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone

from annotate.campaigns import exports
from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.exports import METRICS_BOUNDED
from annotate.common import rows as common_rows
from annotate.common.numbers import (
    count,
    many,
    moment,
    money_text,
    number,
    percent,
    seconds,
    series,
    short,
    width,
)
from annotate.common.rows import Amendment
from annotate.instruments.base import Criterion, Instrument
from annotate.models.base import Estimand, StopMode
from annotate.pay import queries as pay_queries
from annotate.pay.queries import WorkConditions
from annotate.studies import queries as studies_queries
from annotate.studies.queries import BackgroundQuestion, ConsentVersion, StudyTexts
from estimation.pages import dashboard
from estimation.pages.criteria import ContrastTable, ShownContrast
from estimation.pages.dashboard import Dashboard
from estimation.pages.numbers import ShownAgreement

Paragraph = tuple[tuple[str, bool], ...]  # pieces of text, and whether a campaign says them


def sentence(words: str, *facts: object) -> Paragraph:
    """Return a sentence; each `{}` in its words becomes one of the facts, in order.

    Raises ValueError where their numbers differ: facts may contain braces, words may not.
    """
    pieces = words.split("{}")
    if len(pieces) != len(facts) + 1:
        raise ValueError(f"{len(facts)} facts for {words!r}")
    parts = [(pieces[0], False)]
    for fact, piece in zip(facts, pieces[1:], strict=True):
        parts += [(str(fact), True), (piece, False)]
    return tuple((text, is_fact) for text, is_fact in parts if text)


def paragraph(sentences: Iterable[Paragraph]) -> Paragraph:
    parts: list[tuple[str, bool]] = []
    for one in sentences:
        parts += [(" ", False), *one] if parts else one
    return tuple(parts)


def plain(parts: Paragraph) -> str:
    return "".join(text for text, _is_fact in parts)


# The questions of a tutorial as people met them, for the report.


PARTS = (
    ("Question", "question"),
    ("Answer", "answer"),
    ("Text", "text"),
    ("Second text", "second"),
)


@dataclass(frozen=True)
class TutorialQuestion:
    """parts: (what it is, the text). right: what was accepted; "" where nothing is graded."""

    section: str
    prompt: str
    parts: tuple[tuple[str, str], ...]
    right: str


def questions(tutorial: Any) -> tuple[TutorialQuestion, ...]:
    """Return every version of every question once; () without a tutorial."""
    if tutorial is None:
        return ()
    return tuple(
        TutorialQuestion(one.section, one.prompt, tuple(_parts(one)), _right(one))
        for one in tutorial.samples
    )


def _parts(one: Any) -> Iterator[tuple[str, str]]:
    for label, name in PARTS:
        if text := getattr(one, name, ""):
            yield label, str(text)
    for place, text in enumerate(getattr(one, "others", ()), 2):
        yield f"Text {place}", text
    if asked := getattr(one, "asked", None):
        yield "Asked", str(asked.question)
    if ask := getattr(one, "ask", ""):
        yield "Asked", str(ask)
    for place, paragraph in enumerate(getattr(one, "paragraphs", ()), 1):
        yield f"Paragraph {place}", paragraph.text
    for place, step in enumerate(getattr(one, "steps", ()), 1):
        yield f"Step {place}", "\n".join(filter(None, (step.title, step.text)))


def _right(one: Any) -> str:
    labels = {option.value: str(option.label) for option in getattr(one, "options", ())}
    if accepted := getattr(one, "accepted", ()):
        return " or ".join(labels[value] for value in accepted)
    if paragraphs := getattr(one, "paragraphs", ()):
        told = (f"paragraph {n}: {labels[p.verdict]}" for n, p in enumerate(paragraphs, 1))
        return "; ".join(told)
    if right := getattr(one, "right_in_words", ""):
        return str(right)
    return str(getattr(one, "feedback", "")) if hasattr(one, "distance") else ""


# The facts of a campaign's report as one value; HTML, LaTeX and JSON only format it.


HURRIED = (
    "The median person worked faster than people read. Look at the work before you report its pay"
)


@dataclass(frozen=True)
class CampaignReport:
    """A campaign's report. protocol: as it opened, None before. amendments: newest first.

    text_amendments: those of what annotators read, among them.
    """

    campaign: Any
    board: Dashboard
    instrument: Instrument
    protocol: Any
    work: WorkConditions
    amendments: tuple[Amendment, ...]
    text_amendments: tuple[Amendment, ...] = ()

    @property
    def facts(self) -> campaigns_lists.CampaignFacts:
        return self.board.facts

    @cached_property
    def at(self) -> datetime:
        return timezone.now()

    @property
    def paragraphs(self) -> list[str]:
        return [plain(one) for one in methods(self)]

    @property
    def agreed(self) -> list[ShownAgreement]:
        return [one for one in self.board.agreed if one.is_shown]

    @property
    def is_interim(self) -> bool:
        return self.board.provisional

    @property
    def digest(self) -> str:
        return str(self.protocol.digest) if self.protocol else ""

    @property
    def name(self) -> str:
        return f"{self.facts.public_id}-report"

    @property
    def crowd(self) -> str:
        return self.facts.marketplace or "a link that the researchers gave out"

    @cached_property
    def texts(self) -> StudyTexts:
        return studies_queries.texts_of(self.campaign)

    @cached_property
    def consents(self) -> tuple[ConsentVersion, ...]:
        """Return the consent texts since the opening, newest first."""
        return studies_queries.consents(self.campaign)

    @property
    def earlier_consents(self) -> tuple[ConsentVersion, ...]:
        return tuple(one for one in self.consents[1:] if one.text)

    @property
    def earlier_instructions(self) -> tuple[tuple[datetime, str], ...]:
        """Return instructions that were amended, each with when, newest first."""
        found = ((one.at, one.changes.get("instructions")) for one in self.text_amendments)
        return tuple((at, was[0]) for at, was in found if was and was[0])

    @cached_property
    def background(self) -> list[tuple[BackgroundQuestion, list[tuple[str, int]], int]]:
        """Return annotators' answers about themselves; [] if they were not asked."""
        return studies_queries.summary(self.campaign)

    @cached_property
    def tutorial(self) -> tuple[TutorialQuestion, ...]:
        return questions(studies_queries.of_campaign(self.campaign, self.instrument))

    @property
    def counted(self) -> tuple[str, str]:
        systems, outputs = len(self.facts.systems), self.board.progress.outputs
        if self.facts.compares:
            return (
                many(systems, "pair of systems", "pairs of systems"),
                many(outputs, "pair of texts", "pairs of texts"),
            )
        return many(systems, "system"), many(outputs, "item" if self.facts.ranks else "output")

    @property
    def asked(self) -> tuple[Criterion, ...]:
        criteria = self.instrument.criteria
        return tuple(one for one in criteria if str(one.question) and not one.wins_of)

    @property
    def pairs(self) -> list[tuple[ContrastTable, list[tuple[ShownContrast, float | None]]]]:
        """Return the compared pairs of each primary criterion, with p-values after Holm.

        None in a ranking: its intervals hold together, at every look.
        """
        adjusts = not self.facts.is_ranking
        return [
            (
                table,
                [(one, table.adjusted.get(one.pair) if adjusts else None) for one in table.shown],
            )
            for table in self.board.comparisons
        ]

    @property
    def estimates(self) -> list[dict[str, Any]]:
        return [
            {
                "system": cell.system.name,
                "criterion": row.criterion.name,
                "is_primary": row.is_primary,
                "estimate": cell.estimate,
                "low": cell.low,
                "high": cell.high,
                "target": row.target,
                "n_judgments": cell.row.n_judgments,
            }
            for row in (*self.board.primary_rows, *self.board.secondary_rows)
            for cell in row.cells
            if cell.shown and cell.row
        ]

    @property
    def differences(self) -> list[dict[str, Any]]:
        return [
            {
                "first": one.first,
                "second": one.second,
                "criterion": one.criterion.name,
                "difference": one.difference,
                "low": one.ends and one.ends[0],
                "high": one.ends and one.ends[1],
                "p_holm": p,
            }
            for _table, pairs in self.pairs
            for one, p in pairs
        ]

    @property
    def checklist(self) -> "tuple[ChecklistItem, ...]":
        return checklist(self)


def build(campaign: Any) -> CampaignReport:
    """Return the report; the number of queries depends on the campaign's state and crowd alone."""
    of_screens = exports.screens_amended(campaign.pk)
    of_texts = studies_queries.amended(campaign.pk)
    of_protocol = tuple(
        # A protocol that told nothing took the values themselves.
        replace(
            one, changes={name: (was or "raw", now) for name, (was, now) in one.changes.items()}
        )
        for one in common_rows.logged(campaign.pk, METRICS_BOUNDED)
    )
    every = (*of_screens, *of_texts, *of_protocol)
    return CampaignReport(
        campaign,
        dashboard.of_campaign(campaign),
        studies_queries.instrument_of(campaign),
        None if campaign.protocol is None else campaigns_facts.design(campaign.pk).protocol,
        pay_queries.of_campaign(campaign),
        tuple(sorted(every, key=lambda one: one.at, reverse=True)),
        of_texts,
    )


# The methods paragraphs: how the results came about, in sentences that a paper can take over.


_FOR = {
    Estimand.POPULATION: "They speak for people in general, "
    "of whom these annotators are taken to "
    "be a sample: intervals account for variance between items and between annotators, with t "
    "quantiles.",
    Estimand.PANEL: "They speak for exactly these annotators, and not for people in general: "
    "intervals account for variance between items, with t quantiles.",
}

_OF_EXPERTS = (
    "Each estimate is the mean of these {} experts, who weigh the same. It speaks for nobody else: "
    "intervals account for variance between items, with t quantiles."
)

_ENTERS = {
    "normal_scores": "Each metric enters as the normal scores of its mid-ranks over all outputs of "
    "all systems, so that no extreme value can move an estimate far.",
    "signed_scores": "Each metric enters as the signed normal scores of the differences between "
    "the two texts, so that no extreme value can move an estimate far.",
    "raw": "Metrics enter with their own values.",
}


def methods(report: CampaignReport) -> tuple[Paragraph, ...]:
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
    if facts.recorded:
        yield sentence("{}", facts.made_elsewhere)
        judged, people = counts.judged, many(counts.annotators, "person", "people")
        yield sentence("There are {} by {}.", many(judged, "judgment"), people)
        return
    if facts.named_experts:
        yield from _experts(report)
    else:
        yield sentence(
            "Of {}, {} were judged, drawn in an order that the seed {} fixes; {} of them were "
            "planned for {} people.",
            outputs,
            count(counts.outputs_judged),
            campaign.seed,
            percent(facts.double_share),
            "two" if facts.raters == 2 else count(facts.raters),
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


def _experts(report: CampaignReport) -> Iterator[Paragraph]:
    facts, counts = report.facts, report.board.progress
    yield sentence(
        "Of {}, {} were judged by all of {} named experts, in an order that the seed {} fixes. No "
        "other outputs count.",
        report.counted[1],
        count(counts.outputs_judged),
        count(facts.raters),
        report.campaign.seed,
    )
    if gone := report.campaign.experts.exclude(released_at=None).count():
        were = many(gone, "expert was", "experts were")
        yield sentence("{} released, and their judgments do not count.", were)


def _shown(report: CampaignReport) -> str:
    if report.facts.compares:
        return "two texts of an item side by side in random order, without their systems"
    if report.instrument.shows_others:
        return (
            "all texts of an item side by side in random order, without their systems, and rated "
            "them one after the other; ratings are relative to the texts beside them"
        )
    if report.facts.ranks:
        return (
            "all texts of an item side by side in random order, without their systems, and put "
            "them in order; a score says how a text compares with the others of its item"
        )
    return "one text at a time, without its system"


def _crowd(report: CampaignReport) -> Iterator[Paragraph]:
    people, facts, cap = report.work, report.facts, report.facts.annotator_cap
    yield sentence("They came from {}.", report.crowd)
    if people.begun:
        yield sentence(
            "{} began the tutorial, and {} passed it.",
            many(people.begun, "person", "people"),
            count(people.passed),
        )
    if cap is not None:
        yield sentence(
            "Each judged at most {}.",
            many(cap, "pair" if facts.compares else "item" if facts.ranks else "text"),
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
        many(report.work.judged, "person", "people"),
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
    if facts.named_experts:
        yield sentence(_OF_EXPERTS, count(facts.raters))
    else:
        yield sentence(_FOR[Estimand(facts.estimand)])
    if board.effective_annotators is not None and not facts.named_experts:
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
    pay, board = report.work, report.board
    if not report.facts.recorded:
        yield sentence("{}", board.sensitivity.summary)
    for one in board.agreed:
        if one.is_shown and one.in_words:
            yield sentence("On {}: {}", one.criterion.name, one.in_words)
        if one.is_shown and one.row.alpha is not None:
            yield sentence(
                "Krippendorff’s alpha for {} is {} ({}, {}).",
                one.criterion.name,
                number(one.row.alpha),
                "no interval"
                if one.row.low is None
                else f"interval {number(one.row.low)} to {number(one.row.high)}",
                one.evidence,
            )
    if report.facts.recorded:
        return
    yield sentence("A judgment was paid {}.", money_text(pay.reward) if pay.reward else "nothing")
    if pay.hourly is not None:
        yield sentence(
            "The median person earned {} an hour of active time.", money_text(pay.hourly)
        )
    if pay.hurried:
        yield sentence("{}.", HURRIED)
    if report.work.at is not None:
        yield sentence(
            "Times, pay for an hour and the number of people whose judgments count are of {}.",
            moment(report.work.at, "year"),
        )


# What reviewers ask of a human evaluation, each question with its answer from the facts.
#
# The questions are those on which published guides for reporting human evaluations of generated
# text agree; the wording is our own.


NOTHING_CHANGED = (
    "No setting of the screens, no rule of the metrics and no text for annotators has changed"
)
UNKNOWN = "Plumbline does not record this. Write it yourself"
NOT_ENTERED = "Nothing was entered for this in the campaign. Write it yourself"


@dataclass(frozen=True)
class ChecklistItem:
    """One question. answer: from the facts, or what to write oneself where `is_open`."""

    question: str
    answer: str
    is_open: bool = False


def checklist(report: CampaignReport) -> tuple[ChecklistItem, ...]:
    answered = (
        (question, _elsewhere(report, answer) if report.facts.recorded else answer(report))
        for question, answer in QUESTIONS
    )
    return tuple(
        ChecklistItem(question, answer, is_open=answer.startswith((UNKNOWN, NOT_ENTERED)))
        for question, answer in answered
    )


def _elsewhere(report: CampaignReport, answer: Callable[[CampaignReport], str]) -> str:
    """Return the answer for judgments that were made elsewhere: most of it is not known here."""
    if answer in (_agreement, _uncertainty, _checkable, _ethics, _funding):
        return answer(report)
    if answer == _what:
        return f"{report.counted[0]}. {report.facts.made_elsewhere}"
    counts = report.board.progress
    by = f"{many(counts.judged, 'judgment')} by {many(counts.annotators, 'person', 'people')}"
    return f"{UNKNOWN}: it happened elsewhere{f', with {by}' if answer == _size else ''}."


def _what(report: CampaignReport) -> str:
    facts, counts = report.facts, report.board.progress
    names = series(one.name for one in facts.systems) if facts.systems else "no system yet"
    systems, outputs = report.counted
    return (
        f"{systems} ({names}) with {outputs}; "
        f"{count(counts.outputs_judged)} of these were judged, in an order that the seed "
        f"{report.campaign.seed} fixes."
    )


def _who(report: CampaignReport) -> str:
    people = report.work
    tutorial = f" {count(people.begun)} began the tutorial, {count(people.passed)} passed it."
    return (
        f"{many(people.judged, 'person', 'people')} whose judgments count, of "
        f"{count(people.entered)} who came. They came from {report.crowd}."
        f"{tutorial if people.begun else ''}"
    )


def _background(report: CampaignReport) -> str:
    if report.background:
        asked = many(len(report.background), "question")
        return f"What they told to {asked} before the first task is printed under “Annotators”."
    return f"{NOT_ENTERED}: languages, expertise and country of the annotators, if you know them."


def _size(report: CampaignReport) -> str:
    counts = report.board.progress
    fixed = "a stopping rule that was fixed before the first judgment"
    return f"{many(counts.judged, 'judgment')}, by {fixed}; see Methods."


def _asked(report: CampaignReport) -> str:
    asked = ", ".join(one.name for one in report.asked) or "the questions of the instrument"
    return (
        f"“{report.instrument.label}”, version {report.instrument.version}: {asked}. The questions "
        f"are printed under “What people were asked”.{_agreed(report)}"
    )


def _agreed(report: CampaignReport) -> str:
    if not report.texts.consent:
        return ""
    if len(report.consents) == 1:
        return (
            " Before the first task everybody accepted a consent text, which is printed there too."
        )
    return (
        " The consent text was amended; everybody was asked to accept the new one before their "
        "next task. All of them are printed there."
    )


def _blind(report: CampaignReport) -> str:
    if report.facts.compares:
        return (
            "Nobody was told which system wrote a text. Each person saw two texts of an item side "
            "by side; which one stood first was random for each person and pair."
        )
    if report.instrument.shows_others:
        return (
            "Nobody was told which system wrote a text. Each person saw all texts of an item side "
            "by side, in an order that is random for each person and item, and rated them one "
            "after the other."
        )
    if report.facts.ranks:
        return (
            "Nobody was told which system wrote a text. Each person saw all texts of an item side "
            "by side, in an order that is random for each person and item, and put them in order."
        )
    return (
        "Nobody was told which system wrote a text. Each person saw one text at a time; which one "
        "came next does not depend on its system."
    )


def _training(report: CampaignReport) -> str:
    if not report.campaign.tutorial_required:
        return "There was no tutorial that had to be passed."
    return "A tutorial with a pass mark on first answers, at most two rounds, before the work."


def _pay(report: CampaignReport) -> str:
    pay = report.work
    if not pay.reward:
        return "Nothing through Plumbline."
    told = f"{money_text(pay.reward)} a judgment"
    if pay.bonus:
        told += f" and {money_text(pay.bonus)} for the tutorial"
    if pay.failed_try:
        told += f", {money_text(pay.failed_try)} for an honest failed try of it"
    if pay.hourly is not None:
        told += (
            f". The median judgment took {seconds(pay.seconds)}; the median person earned "
            f"{money_text(pay.hourly)} an hour of active time, "
            f"nine of ten at least {money_text(pay.least)}"
        )
    if pay.hurried:
        told += f". {HURRIED}"
    return f"{told}."


def _refused(report: CampaignReport) -> str:
    out, work = report.board.excluded, report.work
    return (
        f"Work of {many(out.annotators, 'person', 'people')} ({many(out.judgments, 'judgment')}) "
        f"is excluded. Pay was refused to {many(work.refused, 'person', 'people')}. "
        f"{many(work.appeals, 'appeal')}, {count(work.upheld)} upheld, "
        f"{count(work.waiting)} waiting."
    )


def _agreement(report: CampaignReport) -> str:
    known = [one for one in report.board.agreed if one.is_shown and one.row.alpha is not None]
    if not known:
        return "Not known: too few outputs were judged by several people."
    told = "; ".join(f"{one.criterion.name} {number(one.row.alpha)}" for one in known)
    return f"Krippendorff’s alpha: {told}."


def _uncertainty(report: CampaignReport) -> str:
    facts = report.facts
    return f"{percent(facts.level)} intervals for {facts.speaks_for}. " + (
        "All pairs and looks hold together."
        if facts.is_ranking
        else "Each interval holds by itself; p-values of differences are adjusted after Holm."
    )


def _changes(report: CampaignReport) -> str:
    if not report.protocol:
        return "The campaign has not opened."
    n_texts = len(report.text_amendments)
    n_rules = sum("metric_transform" in one.changes for one in report.amendments)
    counts = {
        "of the screens’ settings": len(report.amendments) - n_texts - n_rules,
        "of what annotators read": n_texts,
        "of how metrics enter": n_rules,
    }
    told = [f"{many(n, 'change')} {of}" for of, n in counts.items() if n]
    listed = f"{series(told)}, listed under “Protocol”" if told else NOTHING_CHANGED
    return (
        f"{listed}. Targets, estimator, metrics and seed are fixed at the opening. Other changes, "
        "such as of the fee, stand in its activity."
    )


def _checkable(report: CampaignReport) -> str:
    return (
        "Yes: the export has every judgment under pseudonyms, and manage.py verify makes "
        f"estimates and decisions again. Protocol SHA-256: {report.digest or 'none yet'}."
    )


def _ethics(report: CampaignReport) -> str:
    if report.texts.ethics:
        return f"{report.texts.ethics.rstrip('.')}."
    return f"{NOT_ENTERED}: the approval’s number, or why none was needed."


def _funding(_report: CampaignReport) -> str:
    return f"{UNKNOWN}: who paid, and who has an interest in the result."


QUESTIONS: tuple[tuple[str, Callable[[CampaignReport], str]], ...] = (
    ("What was evaluated, and how was it chosen?", _what),
    ("Who judged, and where did they come from?", _who),
    ("What is known about the annotators?", _background),
    ("How many judgments are there, and why so many?", _size),
    ("What were people asked?", _asked),
    ("Did they know which system wrote a text?", _blind),
    ("Were they trained?", _training),
    ("What were they paid?", _pay),
    ("Was work excluded, or pay refused?", _refused),
    (
        "Who decided that, and could they see results?",
        lambda report: " ".join(report.board.sensitivity.rulings),
    ),
    ("How far do people agree?", _agreement),
    ("How certain are the results, and for whom do they hold?", _uncertainty),
    ("Was anything changed after the start?", _changes),
    ("Can others check it?", _checkable),
    ("Was there an ethics review?", _ethics),
    ("Are there conflicts of interest?", _funding),
)
