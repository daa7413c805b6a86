"""`manage.py demo`: the whole loop on this machine, with simulated annotators."""

import json
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns import facts
from extras.demo import environment, runner
from extras.demo.crowds import NoStandIn, Place, coming_by
from extras.demo.runner import PASSWORD, SMALL, USER, WHOLE, RunningDemo

PAUSE = 12.0  # seconds per text: it closes after about three minutes


class Command(BaseCommand):
    help = (
        "Runs a sample campaign with simulated annotators until it closes automatically. Needs no "
        "account, and leaves nothing behind."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="another one if it is taken")
        parser.add_argument(
            "--headless", action="store_true", help="full speed; print one JSON object and exit"
        )
        parser.add_argument("--pause", type=float, help="seconds per text of an average person")
        parser.add_argument(
            "--crowd",
            default="link",
            help="how people come: link, or mturk for a local stand-in that is not Amazon",
        )
        parser.add_argument(
            "--small", action="store_true", help="fewer texts and people, wider targets"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        headless = options["headless"]
        pause = options["pause"] if options["pause"] is not None else (0 if headless else PAUSE)
        try:
            coming = coming_by(options["crowd"], quick=headless)
        except NoStandIn as missing:
            raise CommandError(str(missing)) from None
        size = SMALL if options["small"] else WHOLE
        try:
            if not environment.is_entered():
                environment.enter(options["port"], coming.environment())
            with environment.entered(), runner.stage(coming=coming, size=size) as stage:
                self._perform(stage, headless=headless, pause=pause)
        except KeyboardInterrupt:
            self.stderr.write("Stopped.")
        except environment.NotStarted:
            raise CommandError("The product could not be started.") from None

    def _perform(self, stage: RunningDemo, *, headless: bool, pause: float) -> None:
        if not headless:
            self._say_where(stage)
        try:
            runner.perform(stage, pause=pause, say=self._nothing)
        finally:
            stage.stop.set()
        self._report(stage, headless=headless)

    def _say_where(self, stage: RunningDemo) -> None:
        self.stdout.write(f"\nPlumbline runs at {stage.url}\n\n")
        self._say(
            Place("Dashboard", stage.dashboard, f"log in as {USER} with the password {PASSWORD}")
        )
        for place in stage.coming.places(stage.dashboard):
            self._say(place)
        self.stdout.write(
            f"\n{stage.size.annotators} simulated annotators are at work. Watch the intervals "
            f"shrink; the campaign closes itself in about {stage.coming.minutes}.\n"
            "One of them does not read: when “Review” in the bar shows a number, look at the "
            "evidence and rule;\nafter 20 seconds the demonstration does.\n"
            f"{stage.coming.note}"
            "Ctrl+C ends the demonstration and removes its database.\n"
        )

    def _say(self, place: Place) -> None:
        self.stdout.write(f"  {place.name:<11} {place.address}\n{'':<14}{place.do}\n", ending="")

    def _report(self, stage: RunningDemo, *, headless: bool) -> None:
        design = facts.design(stage.campaign_id)
        if not design.is_final:
            raise CommandError(f"The campaign is {design.status}, not closed.")
        if not headless:
            self.stdout.write(f"The campaign closed itself: {design.close_reason}.")
            self.stdout.write(stage.coming.ending, ending="")
        runner.settle(stage)
        result = runner.result(stage)
        if headless:
            self.stdout.write(json.dumps(result, indent=2))
            return
        self.stdout.write(stage.coming.told(result))
        self.stdout.write("The dashboard stays up; press Ctrl+C to end.")
        threading.Event().wait()

    def _nothing(self, _what: str) -> None:
        """Print nothing: single steps of the annotators are not worth a line each."""
