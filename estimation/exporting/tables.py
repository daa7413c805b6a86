"""The files of an export: what each holds, and what each of its columns means.

Plain values are tables (CSV), texts and lists JSON lines. An export's README is made from this.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from estimation.exporting.columns import (
    ANNOTATOR,
    DECIDED,
    EVIDENCE,
    INTERVAL,
    METHOD,
    NEWEST,
)


@dataclass(frozen=True)
class File:
    """`columns`: {name: what it means}, in their order."""

    name: str
    what: str
    columns: Mapping[str, str]

    @property
    def is_table(self) -> bool:
        return self.name.endswith(".csv")


JUDGMENTS = File(
    "judgments.jsonl",
    "Every judgment as it was submitted, excluded and corrected ones too, in the order of arrival.",
    {
        "judgment": "number, unique in this installation",
        "output": "number of what was judged, as in outputs.jsonl",
        "item": "key of its item, as in items.jsonl",
        "systems": "the systems that wrote this very text for this item",
        "annotator": ANNOTATOR,
        "submitted_at": "when it was handed in",
        "elapsed_seconds": "from seeing the task to handing it in, pauses and corrections included",
        "active_seconds": "of these, with the page in use, as the browser says; null: not told",
        "instrument": "with what it was asked",
        "instrument_version": "in which version",
        "response": "the whole answer, as stored: levels, the edited text (edit), its distance, "
        "verdicts on paragraphs, highlights as pairs of code points",
        "highlights": "the highlighted words themselves: the criterion they explain, or the number "
        "of their paragraph, from 1; start and end in code points, the end excluded; text",
        "scores": "criterion: score, computed from the response",
        "counts": "whether it counts: it holds a slot, its crowd has confirmed it, no ruling has "
        "taken it out, and no correction has taken its place",
        "excluded": "whether a ruling has taken it out (exclusions.csv)",
        "supersedes": "number of the judgment that it corrects; null: it corrects none",
        "superseded": "whether a correction has taken its place; its scores are left out then",
        "page": "where the texts of an item stood side by side: the numbers of their outputs, in "
        "the order of this annotator’s page; null: the text stood alone",
    },
)
SCORES = File(
    "scores.csv",
    "One row for each score and system: `manage.py estimate --judgments` reads it.",
    {
        "system": "a system that wrote the output",
        "item": "key of the item",
        "annotator": ANNOTATOR,
        "criterion": "what was asked",
        "score": "on the scale of the criterion, see plan.json",
        "judgment": "as in judgments.jsonl",
        "output": "as in outputs.jsonl",
        "position": "of the item in the random order of judging, from 0",
        "group": "of the item; empty: a group of its own",
        "submitted_at": "when it was handed in",
        "counts": "1 if it counts, and its item lies before the end of the system's sample; else 0",
    },
)
OUTPUTS = File(
    "outputs.jsonl",
    "What the systems wrote, judged or not.",
    {
        "output": "number, unique in this installation",
        "item": "key of its item",
        "systems": "the systems that wrote this text; identical texts for an item are one output",
        "text": "the text",
        "words": "how many words it has",
    },
)
ITEMS = File(
    "items.jsonl",
    "What the systems were given.",
    {
        "item": "key, as uploaded",
        "position": "in the random order of judging, from 0",
        "group": "the group that it belongs to, as uploaded; empty: a group of its own",
        "input": "the text or question",
        "paragraphs": "those in which an answer is looked for",
        "reference": "the reference text",
    },
)
METRICS = File(
    "metrics.csv",
    "Automatic metrics of all outputs: `manage.py estimate --metrics` reads it.",
    {
        "system": "a system that wrote the output",
        "item": "key of the item",
        "metric": "its name",
        "value": "for this output",
        "output": "as in outputs.jsonl",
        "version": "of the metric; given: it came with the upload",
        "group": "of the item; empty: a group of its own",
    },
)
ANNOTATORS = File(
    "annotators.csv",
    "Who judged.",
    {
        "annotator": ANNOTATOR,
        "judgments": "that they gave",
        "counting": "of these, those that count",
        "excluded": "of these, those that a ruling took out",
        "first_at": "when they handed in the first",
        "last_at": "and the last",
        "active_seconds": "with the page in use, in all, as far as browsers told",
        "review": "open, cleared or excluded; empty where nobody has looked at their work",
        "screens": "the screens that pointed at their work",
    },
)
BACKGROUND = File(
    "background.csv",
    "What people told about themselves, where the campaign asked.",
    {
        "annotator": ANNOTATOR,
        "question": "what was asked",
        "answer": "one of those offered; empty: they would rather not say",
    },
)
CONSENTS = File(
    "consents.csv",
    "Which consent text people accepted, where the campaign has one.",
    {
        "annotator": ANNOTATOR,
        "version": "of the text, from 1: plan.json has the newest (texts) with its number, and "
        "those before it (text_amendments)",
        "accepted_at": "when",
    },
)
EXCLUSIONS = File(
    "exclusions.csv",
    "Judgments that a ruling took out of the estimates.",
    {
        "judgment": "as in judgments.jsonl",
        "annotator": ANNOTATOR,
        "reason": "what they were told",
        "excluded_at": "when",
        "restored_at": "when it was brought back; empty: it is still out",
    },
)
GOLD = File(
    "gold.jsonl",
    "Answers to gold items, whose right answer is known. None of them is a judgment.",
    {
        "gold": "name of the gold item",
        "kind": "given (from a file), planted (a planted defect) or instruction",
        "annotator": ANNOTATOR,
        "submitted_at": "when",
        "elapsed_seconds": "from its first sight to its submission",
        "active_seconds": "as the page counted them; null where it did not",
        "text": "what was shown",
        "expected": "{question: right values}",
        "response": "all answers",
        "right": "whether all expected answers were given",
        "corrections": "how often it was corrected later; the first answer counts",
    },
)
ESTIMATES = File(
    "estimates.csv",
    "Every estimate of a system (or pair) that was ever computed, the oldest first.",
    {
        "id": "number, as in decisions.csv and the API",
        "system": "its name",
        **METHOD,
        "estimate": "the score of the system; empty where there is none",
        **INTERVAL,
        "mean_estimate": "the plain mean of the same judgments, without metrics",
        "mean_low": "and its interval",
        "mean_high": "its upper end",
        **EVIDENCE,
        "n_unfinished": "items before the end of the sample that lack a judgment",
        "with_excluded_estimate": "the same with the excluded work in it; empty: nothing is out",
        "with_excluded_low": "lower end of that interval",
        "with_excluded_high": "its upper end",
        "with_excluded_n_judgments": "judgments that entered it",
        **DECIDED,  # in a ranking of pairs that are judged side by side
        **NEWEST,
    },
)
COMPARISONS = File(
    "comparisons.csv",
    "Every paired difference of two systems that was ever computed, the oldest first.",
    {
        "id": "number, as in the API",
        "first": "a system",
        "second": "the system whose score is subtracted",
        **METHOD,
        "difference": "first less second, over the items that both have finished",
        **INTERVAL,
        **EVIDENCE,
        **DECIDED,
        **NEWEST,
    },
)
AGREEMENT = File(
    "agreement.csv",
    "How far people agreed (Krippendorff's alpha), each time it was computed.",
    {
        "id": "number, as in the API",
        "criterion": "what was asked",
        "at": "when it was computed",
        "distance": "nominal, ordinal or interval",
        "level": "of the interval",
        "alpha": "1: they agree; 0: no more than chance; empty where there is none",
        "low": "lower end of its interval",
        "high": "its upper end",
        "n_outputs": "outputs that several people judged",
        "n_judgments": "their judgments",
        "n_annotators": "the people who gave them",
        "excluded": "judgments that rulings had left out",
        "observed": "how often two judgments of an output are equal; empty in rows before 0.2.0",
        "by_chance": "how often two judgments of any outputs are equal",
        "icc": "ICC(1,1), one-way, of single judgments; empty in rows of 0.1.0",
        "fleiss_kappa": "Fleiss' kappa; empty where scores have no levels, and in rows of 0.1.0",
        "newest": NEWEST["newest"],
    },
)
DECISIONS = File(
    "decisions.csv",
    "What stopping rules did, the oldest first.",
    {
        "id": "number, as in the API",
        "at": "when",
        "verb": "what was done: stop_system, resume_system, close, resume, finish",
        "reason": "why, as a code",
        "system": "which system; empty: the campaign",
        "text": "the same in words",
        "estimates": "ids of the estimates that caused it",
        "comparisons": "in a ranking: ids of the comparisons that caused it",
        "evidence": "what it rests on, as in evidence.jsonl; empty for decisions of 0.1.0",
    },
)
EVIDENCE_OF_DECISIONS = File(
    "evidence.jsonl",
    "What decisions rest on.",
    {
        "evidence": "number, as in decisions.csv",
        "at": "when",
        "status": "of the campaign before the decisions",
        "stops": "system: position at which its sample had ended before",
        "judgments": "those that counted, from the first to the last of each pair",
        "n_judgments": "how many",
        "protocol": "SHA-256 of the protocol",
    },
)
AMENDMENTS = File(
    "amendments.jsonl",
    "Changes of the settings of the screens after the opening, the oldest first.",
    {
        "at": "when",
        "why": "the reason that was given",
        "changes": "setting: what it was, and what it became",
    },
)
PLAN = "plan.json"
README = "README.md"
FILES = (
    AMENDMENTS,
    *(JUDGMENTS, SCORES, OUTPUTS, ITEMS, METRICS),
    *(ANNOTATORS, BACKGROUND, CONSENTS, EXCLUSIONS, GOLD),
    *(ESTIMATES, COMPARISONS, AGREEMENT, DECISIONS, EVIDENCE_OF_DECISIONS),
)
