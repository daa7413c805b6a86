"""The address at which people reach this installation."""

import json
import socket
from pathlib import Path

from django.conf import settings

PATIENCE = 1.0  # seconds


def public_url() -> str:
    """Return the start of all links: from the settings, or the address of a running `serve`."""
    if settings.EMBEDDED and settings.PUBLIC_URL == settings.LOCAL_URL:
        return _served() or str(settings.PUBLIC_URL)
    return str(settings.PUBLIC_URL)


def note(url: str, host: str, port: int) -> None:
    """Write down the address of `serve`, for commands in other terminals."""
    _file().parent.mkdir(parents=True, exist_ok=True)
    _file().write_text(json.dumps({"url": url, "host": host, "port": port}))


def forget() -> None:
    _file().unlink(missing_ok=True)


def _file() -> Path:
    return Path(settings.VAR_DIR) / "serving.json"


def _served() -> str:
    """Return the noted address if it answers; a killed `serve` leaves its note behind."""
    try:
        noted = json.loads(_file().read_text())
        host = "127.0.0.1" if noted["host"] == "0.0.0.0" else noted["host"]  # noqa: S104
        socket.create_connection((host, noted["port"]), PATIENCE).close()
        return str(noted["url"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return ""
