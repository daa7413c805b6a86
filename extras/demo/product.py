"""Runs the product as a process, until its starter closes its input or ends.

python -m extras.demo.product PORT
"""

import os
import signal
import sys
import threading

from django.core.management import execute_from_command_line


def _end_with_the_other_side() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_other_side, daemon=True).start()
    execute_from_command_line(["manage.py", "serve", "--port", sys.argv[1]])
