"""`manage.py replay`: the savings of the stopping rule on released judgments."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.campaigns.plans import AUTO
from annotate.campaigns.problems import UploadRefused
from annotate.common.errors import Invalid
from annotate.models.base import Estimand
from estimation.metrics import METRICS
from extras.replication import released, replaying
from extras.replication.replaying import Replay, ReplayQuestion, scratch_database

NO_METRIC = "none"
DEFAULT = ("repetition",)


class Command(BaseCommand):
    help = (
        "Replays a released file's judgments of one system in random item order through the real "
        "services, until the interval of one criterion is as narrow as asked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--system", required=True)
        parser.add_argument("--criterion", required=True)
        parser.add_argument("--width", type=float, required=True, help="target, in score units")
        parser.add_argument("--level", type=float, default=0.95)
        parser.add_argument(
            "--metric",
            action="append",
            dest="metrics",
            choices=[NO_METRIC, AUTO, *METRICS],
            help="the control variate (default repetition); repeatable; 'auto' takes all available "
            "ones, 'none' replays the plain mean",
        )
        parser.add_argument(
            "--estimator",
            default="balanced",
            choices=replaying.ESTIMATORS,
            help="regression: that of campaigns opened before balanced weights, without pull",
        )
        parser.add_argument("--estimand", default="population", choices=Estimand.values)
        parser.add_argument("--seed", type=int, default=0, help="of the random item order")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        question = ReplayQuestion(
            system=options["system"],
            criterion=options["criterion"],
            width=options["width"],
            level=options["level"],
            metrics=tuple(n for n in options["metrics"] or DEFAULT if n != NO_METRIC),
            estimand=options["estimand"],
            seed=options["seed"],
            estimator=options["estimator"],
        )
        try:
            result = self._replay(options["file"], question)
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}.") from error
        except (UploadRefused, Invalid) as error:
            raise CommandError(str(error)) from error
        except KeyError as error:
            raise CommandError(error.args[0]) from error
        self.stdout.write(
            json.dumps(result.as_data()) if options["json"] else _words(result, question)
        )

    def _replay(self, file: Path, question: ReplayQuestion) -> Replay:
        release = released.read(file)
        total = replaying.size(release, question.system)
        with (
            scratch_database(),
            tqdm(total=total, unit="judgment", disable=None, file=self.stderr) as bar,
        ):
            return replaying.replay(release, question, progress=bar.update)


def _words(result: Replay, question: ReplayQuestion) -> str:
    stop, everything = result.at_stop, result.all_data
    ending = "reached the target" if result.stopped == "target" else "ran out of judgments"
    return (
        f"{question.system}, {question.criterion}: {ending} after {stop.n_judgments} judgments of "
        f"{stop.n_items} items by {stop.n_annotators} annotators.\n"
        f"  estimate {stop.estimate:.3f}  {_ends(stop)}\n"
        f"  all data {everything.estimate:.3f}  {_ends(everything)}  "
        f"({everything.n_judgments} judgments)"
    )


def _ends(outcome: replaying.ReplayOutcome) -> str:
    if outcome.low is None or outcome.high is None:
        return "no interval"
    return f"[{outcome.low:.3f}, {outcome.high:.3f}]  width {outcome.high - outcome.low:.3f}"
