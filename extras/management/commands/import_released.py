"""`manage.py import_released`: the paper's released data as a campaign."""

import json
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.campaigns import creating, facts
from annotate.campaigns.plans import AUTO, Plan
from annotate.campaigns.problems import UploadRefused
from annotate.common.errors import Invalid
from estimation import deferred, refresh, scores
from estimation.metrics import METRICS
from extras.replication import released, replaying
from extras.replication.released import Release

DEFAULT_METRICS = ("repetition",)
DEFAULT_TARGETS = {"language_quality": {"overall": 0.2}, "answer_correctness": {"any_correct": 0.2}}


class Command(BaseCommand):
    help = (
        "Imports data released with the paper (language quality or answer correctness, plain or "
        ".gz): outputs and a metric as a draft campaign; with --judgments also every judgment, "
        "as a closed campaign."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", help="of the campaign; default: the file's name")
        parser.add_argument("--owner", help="user name of the researcher who owns it")
        parser.add_argument(
            "--metric",
            action="append",
            dest="metrics",
            choices=[AUTO, *METRICS],
            help="the control variate (default repetition); repeatable, or auto for all",
        )
        parser.add_argument("--judgments", action="store_true", help="import the judgments too")
        parser.add_argument("--seed", type=int, help="of the random item order")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            release = released.read(options["file"])
            owner_id = self._owner(options["owner"])
            campaign = creating.create(_plan(release, options), release.rows(), owner_id=owner_id)
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}.") from error
        except (UploadRefused, Invalid) as error:
            raise CommandError(str(error)) from error
        self._metrics(campaign.pk)
        taken = self._judgments(campaign.pk, release, owner_id) if options["judgments"] else 0
        while refresh.refresh(campaign.pk):
            pass
        deferred.MEASURING.carry_out(campaign.pk)
        self._report(campaign.public_id, release, taken, as_json=options["json"])

    def _owner(self, name: str | None) -> int | None:
        if name is None:
            return None
        try:
            return int(get_user_model().objects.get_by_natural_key(name).pk)
        except get_user_model().DoesNotExist:
            raise CommandError(f"There is no user {name!r}.") from None

    def _metrics(self, campaign_id: int) -> None:
        with tqdm(unit="score", desc="metrics", disable=None, file=self.stderr) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            scores.ensure(facts.design(campaign_id), progress=progress)

    def _judgments(self, campaign_id: int, release: Release, owner_id: int | None) -> int:
        total = sum(len(output.judgments) for output in release.outputs)
        with tqdm(
            total=total, unit="judgment", desc="judgments", disable=None, file=self.stderr
        ) as bar:
            return replaying.record_all(
                campaign_id, release, actor_id=owner_id, progress=bar.update
            )

    def _report(self, public_id: str, release: Release, taken: int, *, as_json: bool) -> None:
        made = {
            "campaign": public_id,
            "systems": list(release.systems),
            "outputs": len(release.outputs),
            "judgments": taken,
            "notices": list(release.notices),
        }
        if as_json:
            self.stdout.write(json.dumps(made))
            return
        self.stdout.write(
            f"Campaign {public_id}: {made['outputs']} outputs of {', '.join(release.systems)}, "
            f"{taken} judgments."
        )
        for notice in release.notices:
            self.stdout.write(f"  {notice}")


def _plan(release: Release, options: dict[str, Any]) -> Plan:
    with_judgments = options["judgments"]
    recorded = replaying.as_recorded(release) if with_judgments else None
    return Plan(
        name=options["name"] or options["file"].name,
        instrument=replaying.instrument_for(release, with_judgments=with_judgments),
        targets=DEFAULT_TARGETS[release.instrument],
        metrics=tuple(options["metrics"] or DEFAULT_METRICS),
        annotator_cap=None if with_judgments else 25,
        reward=Decimal(0) if with_judgments else Decimal("0.40"),  # the annotators have been paid
        seed=options["seed"],
        planned=recorded,
    )
