"""Plumbline's command line: `manage.py` in a checkout, `plumbline` after installation."""

import os
import sys

from django.core.management import execute_from_command_line

from config.local.programs import NotStarted


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except NotStarted as reason:
        sys.exit(str(reason))


if __name__ == "__main__":
    main()
