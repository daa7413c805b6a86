"""What reviewers ask of a human evaluation, each question with its answer from the facts.

The questions are those on which published guides for reporting human evaluations of generated text
agree; the wording is our own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from annotate.text.figures import count, many, money, number, percent, seconds, series
from estimation.selectors.report.facts import HURRIED, CampaignReport

NOTHING_CHANGED = (
    "No setting of the screens, no rule of the metrics and no text for annotators has changed"
)
UNKNOWN = "Plumbline does not record this. Write it yourself"
NOT_ENTERED = "Nothing was entered for this in the campaign. Write it yourself"


@dataclass(frozen=True)
class AnsweredQuestion:
    """One question. answer: from the facts, or what to write oneself where `is_open`."""

    question: str
    answer: str
    is_open: bool = False


def checklist(report: CampaignReport) -> tuple[AnsweredQuestion, ...]:
    """Return all questions in their order, each with its answer."""
    return tuple(_answered(question, answer(report)) for question, answer in QUESTIONS)


def _answered(question: str, answer: str) -> AnsweredQuestion:
    return AnsweredQuestion(question, answer, is_open=answer.startswith((UNKNOWN, NOT_ENTERED)))


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
    people = report.work.people
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
    return (
        "Nobody was told which system wrote a text. Each person saw one text at a time; which one "
        "came next does not depend on its system."
    )


def _training(report: CampaignReport) -> str:
    if not report.campaign.tutorial_required:
        return "There was no tutorial that had to be passed."
    return "A tutorial with a pass mark on first answers, at most two rounds, before the work."


def _pay(report: CampaignReport) -> str:
    pay = report.work.pay
    if not pay.reward:
        return "Nothing through Plumbline."
    told = f"{money(pay.reward)} a judgment"
    if pay.bonus:
        told += f" and {money(pay.bonus)} for the tutorial"
    if pay.failed_try:
        told += f", {money(pay.failed_try)} for an honest failed try of it"
    if pay.hourly is not None:
        told += (
            f". The median judgment took {seconds(pay.seconds)}; the median person earned "
            f"{money(pay.hourly)} an hour of active time, nine of ten at least {money(pay.least)}"
        )
    if pay.hurried:
        told += f". {HURRIED}"
    return f"{told}."


def _refused(report: CampaignReport) -> str:
    out, appeals = report.board.excluded, report.work.appeals
    return (
        f"Work of {many(out.annotators, 'person', 'people')} ({many(out.judgments, 'judgment')}) "
        f"is excluded. Pay was refused to {many(report.work.pay.refused, 'person', 'people')}. "
        f"{many(appeals.made, 'appeal')}, {count(appeals.upheld)} upheld, "
        f"{count(appeals.waiting)} waiting."
    )


def _rulings(report: CampaignReport) -> str:
    return " ".join(report.board.sensitivity.rulings)


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
    ("Who decided that, and could they see results?", _rulings),
    ("How far do people agree?", _agreement),
    ("How certain are the results, and for whom do they hold?", _uncertainty),
    ("Was anything changed after the start?", _changes),
    ("Can others check it?", _checkable),
    ("Was there an ethics review?", _ethics),
    ("Are there conflicts of interest?", _funding),
)
