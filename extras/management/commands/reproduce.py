"""`manage.py reproduce`: the paper's tables and figures from its released judgments."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.campaigns.problems import UploadRefused
from estimation.metrics import METRICS
from extras.replication import gains, page, reproducing
from extras.replication.reproducing import Data, Progress, Reproduction


class Command(BaseCommand):
    help = (
        "Computes the tables and figures of Chaganty, Mussmann and Liang (2018) from its released "
        "judgments (language quality, answer correctness; plain or gzip), beside the paper's own "
        "numbers."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="+")
        parser.add_argument(
            "--replicates", type=int, default=10_000, help="bootstrap samples behind Figure 6"
        )
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
        parser.add_argument(
            "--docs",
            type=Path,
            metavar="FOLDER",
            help="also write reproduction.md with its plots into this folder",
        )
        parser.add_argument(
            "--several",
            action="store_true",
            help="instead: what several metrics save, by system and criterion",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["several"]:
            for file in options["file"]:
                self.stdout.write(f"{gains.table(self._gains(file))}\n")
            return
        with tqdm(unit="step", disable=None, file=self.stderr) as bar:
            both = [self._one(file, options, bar) for file in options["file"]]
        found = [one for _, one in both]
        if options["docs"]:
            page.write(
                options["docs"], both, replicates=options["replicates"], seed=options["seed"]
            )
        if options["json"]:
            self.stdout.write(json.dumps([one.as_data() for one in found], allow_nan=False))
        else:
            self.stdout.write("\n\n".join(page.text(one) for one in found))

    def _gains(self, file: Path) -> list[gains.Gain]:
        return list(gains.gains(_load(file, tuple(METRICS))))

    def _one(self, file: Path, options: dict[str, Any], bar: Any) -> tuple[Data, Reproduction]:
        data = _load(file, reproducing.METRICS, bar.update)
        return data, reproducing.reproduce(
            data, replicates=options["replicates"], seed=options["seed"], progress=bar.update
        )


def _load(file: Path, names: tuple[str, ...], progress: Progress = lambda: None) -> Data:
    try:
        return reproducing.load(file, names=names, progress=progress)
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error}.") from error
    except UploadRefused as error:
        raise CommandError(f"{file}: {error}") from error
