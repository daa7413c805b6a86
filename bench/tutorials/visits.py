"""A web server, and accounts that take a tutorial there over HTTP."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import urllib3
from django.db.models import QuerySet
from django.urls import reverse

from annotate import tokens
from annotate.models import Assignment, Campaign, LedgerEntry, TutorialRun
from annotate.selectors.work import tutorial_runs
from annotate.services.campaigns.importing.problems import Row
from annotate.services.work import participations
from bench.load.servers import COMMANDS, Servers
from bench.tutorials.bots import Guesser
from tests.factories import campaign

ROUNDS = 2


class Web(Servers):
    """The web server alone: tutorials need no worker."""

    def start(self) -> None:
        for name in COMMANDS:
            self.log(name).touch()
        self._start("web", [part.format(**self.numbers) for part in COMMANDS["web"]])
        self._wait("web", self._web_answers)


@contextmanager
def web() -> Iterator[str]:
    """Yield the address of a running web server on this process's database."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-tutorials-"))
    server = Web(folder, web=1, worker=0)
    try:
        server.start()
        yield f"http://127.0.0.1:{server.port}"
    except Exception:
        print(server.logs(), file=sys.stderr)
        raise
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


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
        status = tutorial_runs.status(who)
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
