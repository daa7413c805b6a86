"""The evidence about one annotator besides their answers, as sections of rows.

A row has a title, a state, a figure with its unit, and sentences. Whatever a reviewer should see
beside the screens is one more section: a function that returns an `EvidenceSection`, and its place
in `sections`.
"""

from dataclasses import dataclass

from annotate.selectors.review.reviews import Case
from annotate.selectors.review.screens import Look
from annotate.text.figures import count
from annotate.views.review import words
from annotate.views.review.plots import Strip
from annotate.views.review.words import Told


@dataclass(frozen=True)
class EvidenceState:
    """The state of a row: a kind (for the colour), an icon and a word."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class EvidenceRow:
    """One row. figure, unit: its number, if it has one. strip: its place among all others."""

    title: str
    sentences: tuple[str, ...]
    state: EvidenceState | None = None
    figure: str = ""
    unit: str = ""
    strip: Strip | None = None


@dataclass(frozen=True)
class EvidenceSection:
    """A section of the case page.

    key: its id on the page. note: a sentence beside the title. empty: what is said without rows.
    n_others: how many people the strips show; None without strips.
    """

    key: str
    title: str
    rows: tuple[EvidenceRow, ...]
    note: str = ""
    empty: str = ""
    n_others: int | None = None


STATES = {
    "flagged": EvidenceState("bad", "cross", "Flagged"),
    "listed": EvidenceState("warn", "flag", "Listed"),
    "flagged_before": EvidenceState("warn", "flag", "Flagged before"),
    "listed_before": EvidenceState("", "flag", "Listed before"),
    "passed": EvidenceState("good", "check", "Passed"),
    "little": EvidenceState("", "info", "Too little to tell"),
}


def sections(look: Look, case: Case) -> list[EvidenceSection]:
    """Return the sections in the order in which the page shows them."""
    return [screens(look, case)]


def screens(look: Look, case: Case) -> EvidenceSection:
    """Return what each screen found, with this annotator's place among all others."""
    told = words.told(look, fired=_fired(case))
    return EvidenceSection(
        key="screens",
        title="Screens",
        rows=tuple(map(_of_screen, told)),
        empty=_no_screens(look, case),
        n_others=max((len(one.others) for one in look.screens), default=0),
    )


def _fired(case: Case) -> dict[str, bool]:
    """Return the screens that have flagged, and whether that paused the person."""
    paused = {flag.screen for flag in case.flags if flag.pauses}
    return {flag.screen: flag.screen in paused for flag in case.flags}


def _of_screen(one: Told) -> EvidenceRow:
    sentences = (one.detail, one.limit, f"n\u00a0=\u00a0{count(one.n)}.")
    return EvidenceRow(one.title, sentences, STATES[one.state], one.big, one.unit, one.strip)


def _no_screens(look: Look, case: Case) -> str:
    if look.awaited:
        return (
            "The screens have not looked at this work yet. They do so within a minute or two; "
            "reload the page then."
        )
    why = "it was not done on a page" if case.judgments else "there is no judgment yet"
    return f"No screen looks at this work: {why}."
