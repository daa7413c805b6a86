"""Logs without secrets: a link to an annotator's work would open it to every reader of a log."""

import logging
import logging.config
import re
import traceback
from hashlib import sha256
from typing import Any

# Invitations, entries and work pages: the secret part of an address, and its query.
IN_ADDRESSES = re.compile(
    r"(/work/(?:join|preview|batch|p|on/[\w-]+)/|/invitations/|/new-password/[\w-]+/)"
    r"([^/\s\"'<>?#]+)(\?[^\s\"'<>]*)?"
)
# All other values signed by us, such as the tokens that scripts send in a header.
SIGNED = re.compile(r"[\w.-]+(?::|%3A)[0-9A-Za-z]{6}(?::|%3A)[\w-]{43}")


def configure(settings: dict[str, Any]) -> None:
    """Configure logging as Django does, and redact secrets before any handler gets them."""
    logging.config.dictConfig(settings)
    logging.setLogRecordFactory(_without_secrets)


def redacted(text: str) -> str:
    """Return the text with a name in place of each secret; equal secrets get equal names."""
    text = IN_ADDRESSES.sub(lambda found: found[1] + _name(found[2]), text)
    return SIGNED.sub(lambda found: _name(found[0]), text)


def _name(secret: str) -> str:
    return f"[{sha256(secret.encode(errors='replace')).hexdigest()[:8]}]"


def _without_secrets(*args: Any, **given: Any) -> logging.LogRecord:
    """Make a record whose message and traceback are redacted before formatting."""
    record = logging.LogRecord(*args, **given)
    message = _message(record)
    if (clean := redacted(message)) != message:
        record.msg, record.args = clean, ()
    if record.exc_info and record.exc_info[0] is not None:
        told = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
        record.exc_text = redacted(told)
    return record


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # its own handler reports the error
        return str(record.msg)
