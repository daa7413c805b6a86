"""The facts of a campaign's report as one value; HTML, LaTeX and JSON only format it."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone

from annotate.instruments.base import Criterion, Instrument
from annotate.selectors import amendments
from annotate.selectors.amendments import Amendment
from annotate.selectors.campaigns import counting, listing, screen_settings
from annotate.selectors.campaigns.protocol import METRICS_BOUNDED
from annotate.selectors.pay import conditions
from annotate.selectors.pay.conditions import WorkConditions
from annotate.selectors.studies import (
    amended_texts,
    background,
    instruments,
    texts,
    tutorial_contents,
)
from annotate.selectors.studies.amended_texts import ConsentVersion
from annotate.selectors.studies.background import ToldBackground
from annotate.selectors.studies.texts import StudyTexts
from annotate.text.figures import many
from estimation.selectors import dashboard
from estimation.selectors.criteria.contrasts import ContrastTable, ShownContrast
from estimation.selectors.dashboard import Dashboard
from estimation.selectors.report import tutorial
from estimation.selectors.report.tutorial import ToldQuestion

HURRIED = (
    "The median person worked faster than people read. Look at the work before you report its pay"
)


@dataclass(frozen=True)
class AdjustedContrast:
    """One pair of systems; p: its p-value after Holm's adjustment over the criterion's pairs."""

    contrast: ShownContrast
    p: float | None


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
    def facts(self) -> listing.CampaignFacts:
        return self.board.facts

    @cached_property
    def at(self) -> datetime:
        """Return when the report was made."""
        return timezone.now()

    @property
    def is_interim(self) -> bool:
        return self.board.provisional

    @property
    def digest(self) -> str:
        return str(self.protocol.digest) if self.protocol else ""

    @property
    def name(self) -> str:
        """Return the name of its files."""
        return f"{self.facts.public_id}-report"

    @property
    def crowd(self) -> str:
        """Return where its annotators came from, in words."""
        return self.facts.marketplace or "a link that the researchers gave out"

    @cached_property
    def texts(self) -> StudyTexts:
        """Return the researcher's own texts for annotators."""
        return texts.of(self.campaign)

    @cached_property
    def consents(self) -> tuple[ConsentVersion, ...]:
        """Return the consent texts since the opening, newest first."""
        return amended_texts.consents(self.campaign)

    @property
    def earlier_consents(self) -> tuple[ConsentVersion, ...]:
        return tuple(one for one in self.consents[1:] if one.text)

    @property
    def earlier_instructions(self) -> tuple[tuple[datetime, str], ...]:
        """Return instructions that were amended, each with when, newest first."""
        found = ((one.at, one.changes.get("instructions")) for one in self.text_amendments)
        return tuple((at, was[0]) for at, was in found if was and was[0])

    @cached_property
    def background(self) -> list[ToldBackground]:
        """Return annotators' answers about themselves; [] if they were not asked."""
        return background.summary(self.campaign)

    @cached_property
    def tutorial(self) -> tuple[ToldQuestion, ...]:
        """Return the questions of the tutorial; () where people need none."""
        return tutorial.questions(tutorial_contents.of_campaign(self.campaign, self.instrument))

    @property
    def counted(self) -> tuple[str, str]:
        """Return how many systems and outputs there are, or pairs of them, in words."""
        systems, outputs = len(self.facts.systems), self.board.progress.outputs
        if self.facts.compares:
            return (
                many(systems, "pair of systems", "pairs of systems"),
                many(outputs, "pair of texts", "pairs of texts"),
            )
        return many(systems, "system"), many(outputs, "output")

    @property
    def asked(self) -> tuple[Criterion, ...]:
        """Return the criteria that people were asked about."""
        criteria = self.instrument.criteria
        return tuple(one for one in criteria if str(one.question) and not one.wins_of)

    @property
    def pairs(self) -> tuple[tuple[ContrastTable, tuple[AdjustedContrast, ...]], ...]:
        """Return the compared pairs of each primary criterion."""
        return tuple(
            (table, tuple(AdjustedContrast(one, self._p(table, one)) for one in table.shown))
            for table in self.board.comparisons
        )

    def _p(self, table: ContrastTable, one: ShownContrast) -> float | None:
        """Return None in a ranking: its intervals hold together, at every look."""
        return None if self.facts.is_ranking else table.adjusted.get((one.first, one.second))


def build(campaign: Any) -> CampaignReport:
    """Return the report; the number of queries depends on the campaign's state and crowd alone."""
    of_screens = screen_settings.of(campaign.pk).amendments
    of_texts = amended_texts.amended(campaign.pk)
    of_protocol = tuple(
        # A protocol that told nothing took the values themselves.
        replace(
            one, changes={name: (was or "raw", now) for name, (was, now) in one.changes.items()}
        )
        for one in amendments.logged(campaign.pk, METRICS_BOUNDED)
    )
    every = (*of_screens, *of_texts, *of_protocol)
    return CampaignReport(
        campaign,
        dashboard.of_campaign(campaign),
        instruments.of(campaign),
        None if campaign.protocol is None else counting.brief(campaign.pk).protocol,
        conditions.of_campaign(campaign),
        tuple(sorted(every, key=lambda one: one.at, reverse=True)),
        of_texts,
    )
