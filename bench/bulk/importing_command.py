"""`manage.py create_campaign` on the benchmark's database; its last line is its peak memory."""

import os
import sys

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command

    from bench.bulk.importing import peak

    call_command("create_campaign", *sys.argv[1:])
    print(peak(os.getpid()))
