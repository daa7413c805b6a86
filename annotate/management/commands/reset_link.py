"""`manage.py reset_link NAME`: a link for a new password, where no mail is sent."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.accounts import accounts
from annotate.common.errors import NotFound


class Command(BaseCommand):
    help = "Prints a link with which a person sets a new password. It works once, for one day."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="the user name; capitals matter")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(accounts.link_of(options["username"]))
        except NotFound as error:
            raise CommandError(error.message) from None
