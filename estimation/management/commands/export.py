"""`manage.py export CAMPAIGN --to FILE.zip`: texts, judgments and all numbers, as one file."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Self

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.common.errors import NotFound
from estimation import export


class Command(BaseCommand):
    help = (
        "Writes judgments with the whole answers, outputs, items, annotators by pseudonym, "
        "estimates, comparisons, decisions, exclusions and the plan into one zip; its README says "
        "what each column means."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the public id, as in its address")
        parser.add_argument("--to", type=Path, metavar="FILE", help="by default a usual name")

    def handle(self, *args: Any, **options: Any) -> None:
        target = options["to"] or Path(export.name(options["campaign"]))
        if target.exists():
            raise CommandError(f"{target} exists already. Name another file.")
        with _Bar() as bar:
            try:
                parts = export.stream(options["campaign"], progress=bar.show)
            except NotFound as error:
                raise CommandError(error.message) from None
            try:
                size = _write(target, parts)
            except OSError as error:
                raise CommandError(f"{target} cannot be written: {error.strerror}.") from None
        self.stdout.write(
            f"Wrote {target}, {size / 1e6:,.1f} MB. Its README.md describes the contents."
        )


def _write(target: Path, parts: Any) -> int:
    """Write to a temporary name first, so that a file of this name is always complete."""
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("xb") as file:
            size = sum(file.write(data) for data in parts)
        os.link(part, target)  # never over a file that exists by now
    finally:
        part.unlink(missing_ok=True)
    return size


class _Bar:
    """On a terminal, shows how many lines of which file are packed."""

    _file = ""

    def __enter__(self) -> Self:
        self._bar = tqdm(unit=" lines", unit_scale=True, leave=False, disable=not _is_terminal())
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.close()

    def show(self, file: str, lines: int, total: int | None) -> None:
        if file != self._file:
            self._file = file
            self._bar.reset(total)
            self._bar.set_description(file)
        self._bar.update(lines - self._bar.n)


def _is_terminal() -> bool:
    return sys.stderr.isatty()
