"""How a process leaves the processor to others, also where Linux shares it out by groups."""

import logging
import os
from pathlib import Path

LAST = 19  # niceness that yields to all others
# Where a kernel groups processes by session, niceness counts inside a session only; the session
# as a whole has this one. See sched(7), "The autogroup feature".
OF_SESSION = Path("/proc/self/autogroup")

logger = logging.getLogger(__name__)


def let_others_first() -> None:
    """Give this process and its later children the lowest share of the processor.

    The session as a whole yields too where this process leads it: it is then nobody else's. In
    containers and systemd units the share of the whole counts; docker-compose.yml sets it, and
    docs/operations.md says how a unit does.
    """
    os.nice(LAST)
    if os.getsid(0) == os.getpid() and OF_SESSION.exists():
        _let_other_sessions_first()


def _let_other_sessions_first() -> None:
    try:
        OF_SESSION.write_text(str(LAST))
    except OSError as error:
        logger.warning("this session keeps its share of the processor: %s", error)
