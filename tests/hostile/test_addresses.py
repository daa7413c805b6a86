"""No address breaks, whatever is put into it: path, query, cookies, headers."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeVar
from urllib.parse import quote

import pytest

from tests.addresses import DOORS, Door, World
from tests.hostile.trying import METHODS, Tries, address, arguments
from tests.hostile.values import RAW, TEXTS

T = TypeVar("T")
pytestmark = [pytest.mark.hostile, pytest.mark.orm, pytest.mark.django_db]

# What a view takes from a whole query at once, so that no single reading is seen.
OF_ENTRIES = (
    "assignmentId",
    "hitId",
    "workerId",
    "turkSubmitTo",
    "PROLIFIC_PID",
    "SESSION_ID",
    "STUDY_ID",
)
COOKIES = ("csrftoken", "django_language", "messages", "sessionid")
HEADERS = (
    "Accept",
    "Accept-Language",
    "Authorization",
    "Content-Length",
    "Content-Type",
    "Cookie",
    "HX-Current-URL",
    "HX-Request",
    "HX-Target",
    "Host",
    "If-Modified-Since",
    "If-None-Match",
    "Origin",
    "Range",
    "Referer",
    "X-CSRFToken",
    "X-Event-ID",
    "X-Forwarded-For",
    "X-Forwarded-Proto",
    "X-HTTP-Method-Override",
    "X-Prolific-Request-Signature",
    "X-Prolific-Request-Timestamp",
    "X-Timestamp",
)
# gunicorn answers 400 to NUL in a header before anything here sees it; the client of
# tests hands it on, and Django itself breaks on it in Content-Type alone.
ODD: dict[str, list[str]] = {
    "Authorization": ["Token \0", "Token é", "Token " + "x" * 500, "Bearer \0", "Basic YQ=="],
    "Content-Length": ["-1", "x", "99999999999999999999"],
    "Content-Type": [
        f"{kind}; charset={charset}"
        for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain")
        for charset in ("utf-7", "hex", "undefined", "idna", "utf-16", "nothing", "x" * 300)
    ]
    + ["multipart/form-data", "multipart/form-data; boundary=\xff", "/", ";"],
    "Cookie": ["\0=\0; =;;\xff", "sessionid"],
    "HX-Current-URL": ["http://[", "http://a\0b"],
    "HX-Target": ["outcome", "a%0D%0Ab", '"]'],
    "Host": ["", "a b", "[::1", "evil.example", "a\0b"],
    "Origin": ["null", "http://["],
    "Referer": ["http://["],
    "X-Forwarded-For": ["1.2.3.4, ::1, \0", "not an address"],
}
ALWAYS = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET_URI_AUTOENCODED": "true"}
ANY = ("\0", "x" * 5000, "", "é\xff", "[" * 2000)
SOME = (
    "login",
    "api-token",
    "api-campaign-list",
    "annotate:join",
    "annotate:work-submit",
    "annotate:campaigns",
)


TENTH = 10


def at_doors(values: Sequence[T]) -> Iterator[tuple[Door, Sequence[T]]]:
    """Yield each address with what is sent to it of what is read before any view knows of it.

    All of it is sent to some, and a tenth, in turn, to each of the others.
    """
    for number, door in enumerate(DOORS):
        yield door, values if door.name in SOME else values[number % TENTH :: TENTH]


def test_no_argument_of_any_address_breaks_it(tries: Tries, world: World) -> None:
    for door in DOORS:
        known = arguments(world, door)
        for argument in door.arguments:
            for name, text in tries.of_field().items():
                path = door.path(known | {argument: quote(text, safe="")})
                for method in METHODS if name == "nul" else ("get", "post"):
                    tries.send(f"{door} {argument}={name}", method, path)
    assert tries.n > 2000
    assert not tries.unkind, tries.told()


def test_no_query_breaks_any_address(tries: Tries, world: World) -> None:
    read: set[str] = set()
    for door in DOORS:
        path = address(world, door)
        names = tries.read("get", path) | (
            set(OF_ENTRIES) if door.name == "annotate:entry" else set()
        )
        read |= names
        for one in sorted(names):
            for name, text in tries.of_field().items():
                tries.send(f"{door} ?{one}={name}", "get", f"{path}?{one}={quote(text, safe='')}")
        for method in METHODS:
            tries.send(f"{door} ?x=%00", method, f"{path}?x=%00")
        for query in RAW:
            tries.send(f"{door} ?{query[:20]}", "get", path, QUERY_STRING=query)
    assert {"hitId", "format"} <= read
    assert not tries.unkind, tries.told()


def test_no_cookie_breaks_any_address(tries: Tries, world: World) -> None:
    own = tries.client.cookies.get("sessionid")
    tries.client.cookies.clear()
    for door, some in at_doors(list(product(COOKIES, TEXTS))):
        for name, kind in some:
            raw = "".join(f"\\{ord(c):03o}" for c in TEXTS[kind][:2000] if ord(c) < 256)
            sent = f'{name}="{raw}"'
            if own and name != "sessionid":
                sent += f"; sessionid={own.value}"
            path = address(world, door)
            tries.send(f"{door} cookie {name}={kind}", "get", path, HTTP_COOKIE=sent)
    assert not tries.unkind, tries.told()


def test_no_header_breaks_any_address(tries: Tries, world: World) -> None:
    values = [(name, value) for name in HEADERS for value in (*ODD.get(name, ["\0"]), *ANY)]
    for door, some in at_doors(values):
        for header, value in some:
            known = header.upper().replace("-", "_")
            key = known if known.startswith("CONTENT_") else f"HTTP_{known}"
            for method in ("GET", "POST"):
                tries.send(
                    f"{door} {header}: {value[:30]!r}",
                    "generic",
                    method,
                    address(world, door),
                    b"a=b",
                    **ALWAYS | {key: value},
                )
    assert not tries.unkind, tries.told()
