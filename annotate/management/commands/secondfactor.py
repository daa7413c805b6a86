"""`manage.py secondfactor --off NAME`: for a person who has lost the app and the codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.accounts import second_factor
from annotate.common.errors import NotFound


class Command(BaseCommand):
    help = (
        "Turns the second factor of an account off, and signs its browsers out. "
        "Make sure first that the person who asks is the account's owner."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--off", metavar="USERNAME", required=True, help="the user name; capitals matter"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["off"]
        try:
            was_on = second_factor.turn_off_for(name)
        except NotFound as error:
            raise CommandError(error.message) from None
        self.stdout.write(_said(name) if was_on else f"The second factor of “{name}” was off.")


def _said(name: str) -> str:
    return (
        f"The second factor of “{name}” is off: the password alone logs in. All browsers of the "
        "account are signed out; its API tokens stay valid."
    )
