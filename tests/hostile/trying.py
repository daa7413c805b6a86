"""How an address is tried: nothing stays from one try to the next, and what breaks is collected."""

import json
import re
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import transaction
from django.http import QueryDict
from django.test import Client

from annotate.common import tokens
from annotate.models import ChangeMark
from annotate.work import leasing
from tests.addresses import Door, World
from tests.annotate.market import posting
from tests.factories import leased, person
from tests.hostile.values import TEXTS

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
HAVE_NO_WORDS = ("head", "options")  # their answers have no body, or one for machines
WORDS = re.compile(r"<h1\b|role=\"alert\"|class=\"problem\"|class=\"note|class=\"errorlist")


SPIED = ("__getitem__", "__contains__", "_getlist")


class Tries:
    """Sends requests, each in a transaction that is undone, and remembers what was not kind."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.n = self.fields = 0
        self.unkind: list[str] = []
        self.said = ""  # by the last answer

    def of_field(self) -> dict[str, str]:
        """Return the texts for the next field: a third of them, in turn."""
        self.fields += 1
        return dict(list(TEXTS.items())[self.fields % 3 :: 3])

    def send(self, what: str, method: str, address: str, *args: Any, **given: Any) -> int:
        self.n += 1
        with transaction.atomic():
            try:
                answer = getattr(self.client, method)(address, *args, **given)
                problem = unkind(method, answer)
                self.said = "" if answer.streaming else answer.content.decode(errors="replace")
            except Exception as error:
                problem, answer = f"{type(error).__name__}: {error}"[:200], None
            transaction.set_rollback(True)
        if problem:
            self.unkind.append(f"{method} {what}: {problem}")
        return answer.status_code if answer is not None else 0

    def told(self) -> str:
        shown = "\n".join(one[:160] for one in self.unkind[:60])
        return f"{len(self.unkind)} of {self.n} were not kind:\n{shown}"

    def read(self, method: str, path: str, *args: Any, **given: Any) -> set[str]:
        """Return the names that an address looks for in its query, and in a form."""
        with looked_for() as names:
            self.send(f"{path} as it is", method, path, *args, **given)
        return names


@contextmanager
def looked_for() -> Iterator[set[str]]:
    """Collect what is asked of queries and forms."""
    names: set[str] = set()

    def noting(original: Any) -> Any:
        def noted(self: QueryDict, name: Any, *args: Any, **given: Any) -> Any:
            names.add(str(name))
            return original(self, name, *args, **given)

        return noted

    spied = {name: noting(getattr(QueryDict, name)) for name in SPIED}
    with patch.multiple(QueryDict, **spied):
        yield names


def unkind(method: str, answer: Any) -> str:
    """Return what is wrong with an answer to somebody hostile, or careless; "" if nothing is."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = content.decode(errors="replace")
    if answer.status_code >= 500:
        return f"{answer.status_code} {_raised(answer)}"
    if "Traceback (most recent call last)" in text:
        return "shows a traceback"
    if answer.status_code < 400 or answer.status_code == 405 or method in HAVE_NO_WORDS:
        return ""
    if answer.status_code == 401 and "HX-Request" in answer.wsgi_request.headers:
        return ""  # the page that asked has words for it
    return "" if _has_words(answer, text) else f"{answer.status_code} without words: {text[:80]!r}"


def _raised(answer: Any) -> str:
    error = (getattr(answer, "exc_info", None) or (None, None))[1]
    return f"{type(error).__name__}: {error}"[:200] if error else ""


def _has_words(answer: Any, text: str) -> bool:
    kind = answer.headers.get("Content-Type", "")
    if kind.startswith(("application/json", "application/problem+json")):
        said = json.loads(text)
        return bool(said.get("message") or said.get("errors"))
    if kind.startswith("text/html"):
        return bool(WORDS.search(text))
    return kind.startswith("text/plain") and bool(text.strip())


def furnished(world: World) -> World:
    """Return the world with what annotators' addresses take, and somebody at work in it."""
    who = person(world.link, "somebody at work")
    task = leased(who)
    leasing.shown(task.pk, participation_id=who.pk)
    sold = posting(world.market, listing="HIT2")
    ChangeMark.objects.all().delete()  # the worker is done, however long the tries take
    world.facts.update(
        participation=who.pk,
        assignment_id=task.pk,
        text=task.output.text,
        crowd="mturk",
        token=tokens.participation_token(who.pk),
        tokens={
            "annotate:join": tokens.invitation_token(world.link.pk),
            "annotate:preview": tokens.invitation_token(world.link.pk),
            "annotate:invitation": world.facts["invitation_token"],
            "annotate:new-password": world.facts["reset_token"],
            "annotate:entry": tokens.posting_token(sold.public_id),
            "annotate:batch-preview": tokens.preview_token(world.market.pk, 2),
        },
    )
    return world


def arguments(world: World, door: Door) -> dict[str, str]:
    known = world.arguments(door)
    if door.name in world.facts["tokens"]:
        known["token"] = world.facts["tokens"][door.name]
    return {name: str(value) for name, value in known.items()}


def address(world: World, door: Door) -> str:
    return door.path(arguments(world, door))


def bearer(world: World) -> dict[str, str]:
    return {"Authorization": f"Bearer {world.facts['token']}"}


@contextmanager
def no_room() -> Iterator[None]:
    """Let this process write no file of more than a few bytes: what a full disk does, for real."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
