"""`manage.py demo`: the whole loop on this machine, with simulated annotators."""

import json
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.selectors import evidence
from config import demonstration
from config.demonstration import PASSWORD, USER, Stage

PAUSE = 12.0  # seconds a text: closes in about three minutes


class Command(BaseCommand):
    help = (
        "Runs a sample campaign with simulated annotators until it closes itself. Needs no "
        "Postgres and no Redis, and leaves nothing behind."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="another one if it is taken")
        parser.add_argument(
            "--headless", action="store_true", help="full speed; print one JSON object and end"
        )
        parser.add_argument("--pause", type=float, help="seconds an average person takes a text")

    def handle(self, *args: Any, **options: Any) -> None:
        headless = options["headless"]
        pause = options["pause"] if options["pause"] is not None else (0 if headless else PAUSE)
        stop = threading.Event()
        try:
            with demonstration.stage(options["port"]) as stage:
                if not headless:
                    self._say_where(stage)
                demonstration.perform(stage, pause=pause, stop=stop, say=self._nothing)
                self._report(stage, headless=headless)
        except KeyboardInterrupt:
            stop.set()
            self.stderr.write("Stopped.")

    def _say_where(self, stage: Stage) -> None:
        self.stdout.write(
            f"\nPlumbline runs at {stage.url}\n\n"
            f"  Dashboard   {stage.dashboard}\n"
            f"              log in as {USER} with the password {PASSWORD}\n"
            f"  Annotator   {stage.invitation}\n"
            f"              enter any name and judge along\n\n"
            f"{demonstration.ANNOTATORS} simulated annotators are at work. Watch the intervals "
            "shrink; the campaign closes itself in about three minutes.\n"
            "One of them does not read: when “Review” in the bar shows a number, look at the "
            "evidence and rule;\nafter 20 seconds the demonstration does.\n"
            "Ctrl+C ends the demonstration and removes its database.\n"
        )

    def _report(self, stage: Stage, *, headless: bool) -> None:
        brief = evidence.brief(stage.campaign_id)
        if not brief.is_final:
            raise CommandError(f"The campaign is {brief.status}, not closed.")
        if headless:
            self.stdout.write(json.dumps(demonstration.result(stage.campaign_id), indent=2))
            return
        self.stdout.write(
            f"The campaign closed itself: {brief.close_reason}. The dashboard stays up; "
            "press Ctrl+C to end."
        )
        threading.Event().wait()

    def _nothing(self, _what: str) -> None:
        """Single steps of the annotators are not worth a line each."""
