"""Settings from the environment: the secret key, the public address, the caches."""

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.local.folder import make

PLACEHOLDERS = {"secret", "changeme", "change-me", "insecure", "django-insecure"}


def secret_key(given: str, *, own: bool, folder: Path) -> str:
    """Return the key from the environment, or this installation's own random key.

    own: whether it may have one (`folder/secret-key`, readable by its user). Where database and
        broker are elsewhere, processes on several machines need the same key, so it must be given.
    """
    if given:
        return _refuse_weak(given)
    if not own:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Generate one with `python -c 'import secrets; "
            "print(secrets.token_urlsafe(50))'` and put it into the environment of every process."
        )
    return _own_key(folder / "secret-key")


def _refuse_weak(given: str) -> str:
    repetitive = len(set(given)) < 10
    if len(given) < 32 or repetitive or given.lower().startswith(tuple(PLACEHOLDERS)):
        raise ImproperlyConfigured(
            "SECRET_KEY is a placeholder, repetitive, or shorter than 32 characters. Anybody "
            "could forge sessions and worker tokens with it; generate a random one."
        )
    return given


def public_url(given: str) -> str:
    """Return the address without the slash at its end; refuse what is not scheme and host alone."""
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured(
            f"PUBLIC_URL is {given!r}, not an address such as https://plumbline.example.org."
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"PUBLIC_URL is {given!r}. Plumbline cannot live under a path: its pages, scripts and "
            "links begin at the root of a host. Give it a host name of its own, such as "
            f"{parts.scheme}://plumbline.{parts.hostname}."
        )
    return f"{parts.scheme}://{parts.netloc}"


def _own_key(path: Path) -> str:
    make(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


def caches(redis_url: str) -> dict[str, Any]:
    """Return the caches: `default` of each process, `shared` of all, which nobody needs."""
    own = "django.core.cache.backends.locmem.LocMemCache"
    shared: dict[str, Any] = {"BACKEND": own, "LOCATION": "shared"}
    if redis_url:
        shared = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "plumbline",
            "OPTIONS": {"socket_connect_timeout": 0.3, "socket_timeout": 0.4},
        }
    return {"default": {"BACKEND": own, "OPTIONS": {"MAX_ENTRIES": 500}}, "shared": shared}
