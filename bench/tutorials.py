"""How many bots pass the built-in tutorials: each try is a new account, over HTTP to the servers.

`python -m bench.tutorials 1000` makes that many tries of each bot with each instrument, in up to two
rounds, and prints a table. `python -m bench.tutorials 1000 answer_correctness` makes those of one
instrument. Bots that remember have seen what was right in 1,000 accounts' first rounds before.
Nobody answers a task, so no promised bonus becomes due. The upper bound is Clopper and Pearson's,
95 % one-sided.
"""

import json
import signal
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import urllib3
from scipy.stats import beta

from bench.database import prepare

prepare()  # models can be imported after it

from django.db.models import QuerySet
from django.urls import reverse

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Assignment, Campaign, LedgerEntry, TutorialRun
from annotate.studies import queries as studies_queries
from annotate.work import participations, tutorial_queries
from bench.load.servers import servers
from tests.annotate.studies.tutorial_bots import Guesser, all_of
from tests.factories import campaign

ACCOUNTS = 1000  # that a bot remembers
INSTRUMENTS = ("language_quality", "answer_correctness", "preference")
ROUNDS = 2


def main(tries: int, instruments: tuple[str, ...]) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the servers end with it
    print("| instrument | bot | tries | passed | at most | tasks | promised | earned |")
    print("|---|---|--:|--:|--:|--:|--:|--:|", flush=True)
    with servers() as running:
        for instrument in instruments:
            for line in measure(f"http://127.0.0.1:{running.port}", instrument, tries):
                print(line, flush=True)


def measure(address: str, instrument: str, tries: int) -> Iterator[str]:
    """Yield a line of the table for each bot."""
    study = make(instrument)
    tutorial = studies_queries.of_campaign(study)
    assert tutorial is not None
    seed = 1 + INSTRUMENTS.index(instrument)
    for bot in all_of(tutorial, seed=seed, accounts=ACCOUNTS):
        visits = Visits(address, study, f"{instrument}-{bot.name}-")
        passed = sum(visits.make(n, bot) for n in range(tries))
        bound = beta.ppf(0.95, passed + 1, tries - passed) if passed < tries else 1.0
        yield (
            f"| {instrument} | {bot.name} | {tries:,} | {passed} ({passed / tries:.2%}) "
            f"| {bound:.2%} | {visits.tasks()} | ${visits.promised():.2f} | ${visits.earned():.2f} |"
        )


def make(instrument: str) -> Campaign:
    """Make a study with the built-in tutorial of an instrument."""
    if instrument == "language_quality":
        return campaign(name=instrument, tutorial=True, budget=None)
    if instrument == "preference":
        asked = {"instrument": instrument, "targets": {instrument: 0.2}, "metrics": ()}
        return campaign(name=instrument, tutorial=True, budget=None, **asked)
    rows = [
        Row(item=f"q{i}", system="alpha", output="12", input="how many", paragraphs=("Twelve.",))
        for i in range(3)
    ]
    targets = {"any_correct": 0.2}
    settings = {"targets": targets, "metrics": (), "instrument": instrument, "tutorial": True}
    return campaign(name=instrument, rows_=rows, budget=None, **settings)


class Visits:
    """The visits of one kind of bot; each is an account whose name begins with `prefix`."""

    def __init__(self, address: str, study: Campaign, prefix: str) -> None:
        self.address, self.study, self.prefix = address, study, prefix
        self.http = urllib3.PoolManager(retries=False, timeout=60)

    def make(self, number: int, bot: Guesser) -> bool:
        """Let one account take the tutorial, then ask for a task; return whether it passed."""
        who = participations.enter(self.study.pk, external_id=f"{self.prefix}{number}")
        token = tokens.participation_token(who.pk)
        passed = any(self._round(who.pk, token, bot) for _round in range(ROUNDS))
        self._ask(
            "GET", reverse("annotate:work", args=[token]), token
        )  # leases a task to those who may work
        return passed

    def _round(self, who: int, token: str, bot: Guesser) -> bool:
        self._ask("GET", reverse("annotate:work", args=[token]), token)  # begins the round
        status = tutorial_queries.status(who)
        assert status is not None
        for question in status.questions:
            body = {
                "version": status.tutorial.version,
                "round": status.number,
                "question": question.key,
                "response": bot.answer(question),
            }
            told = json.loads(self._ask("POST", reverse("annotate:tutorial-answer"), token, body))
            if told["passed"] or told["ended"]:
                return bool(told["passed"])
        raise AssertionError("a round ends with its last question")

    def _ask(self, method: str, path: str, token: str, body: Any = None) -> bytes:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body).encode()
        reply = self.http.request(method, self.address + path, headers=headers, body=sent)
        assert reply.status == 200, reply.data[:500]
        return reply.data

    def tasks(self) -> int:
        """Return how many tasks these accounts were given."""
        of_them = {"participation__annotator__external_id__startswith": self.prefix}
        return Assignment.objects.filter(**of_them).count()

    def promised(self) -> Decimal:
        """Return the bonuses that these accounts have been promised, in the study's currency."""
        return sum((run.promised for run in self._runs()), Decimal(0))

    def earned(self) -> Decimal:
        """Return what became due to them; a bonus does only after work that counts."""
        mine = self._runs().values("annotator")
        rows = LedgerEntry.objects.filter(participation__annotator__in=mine)
        return sum((row.amount for row in rows), Decimal(0))

    def _runs(self) -> QuerySet[TutorialRun]:
        return TutorialRun.objects.filter(annotator__external_id__startswith=self.prefix)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, tuple(sys.argv[2:]) or INSTRUMENTS)
