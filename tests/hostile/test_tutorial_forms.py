"""Whatever is sent to the forms of a tutorial of one's own, they explain or refuse it.

Every request here is multipart, but for the JSON of an answer that is graded.
"""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.models import TutorialContent
from tests.factories import user
from tests.hostile.samples import FORMS, question, tutorial
from tests.hostile.trying import Tries
from tests.hostile.values import JSON_BODIES, SCALARS, TEXTS

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

MULTIPART = "multipart/form-data; boundary=x"
HUGE = "x" * 3_000_000  # more than a form may hold
NAMES = ("tutorial-form", "tutorial-draft", "tutorial-grade")
FORM = FORMS["annotate:tutorial-form"](None)  # type: ignore[arg-type]
DRAFT = FORMS["annotate:tutorial-draft"](None)  # type: ignore[arg-type]
SAMPLES = {"tutorial-form": FORM, "tutorial-draft": DRAFT, "tutorial-grade": FORM | DRAFT}
ASKED = {"act": "save", "n": "2", "q1-criterion": "fluency"}  # so that every field is read
HOSTILE = {
    "nul": "a\0b",
    "only nul": "\0",
    "digits": TEXTS["digits"],
    "beyond 64 bits": TEXTS["beyond 64 bits"],
    "deep": "[" * 5000 + "]" * 5000,
    "nul in json": '{"title": "a\\u0000b", "a\\u0000": 1, "questions": ["\\u0000"]}',
    "half a pair": '{"title": "\\ud800", "questions": [{"key": "\\udfff"}]}',
    "questions of all kinds": json.dumps(tutorial() | {"questions": list(SCALARS.values())}),
}


@pytest.fixture
def owner() -> Tries:
    client = Client(raise_request_exception=False)
    client.force_login(user())
    return Tries(client)


def at(name: str) -> str:
    return reverse(f"annotate:{name}", args=["language_quality"])


def part(name: bytes, value: bytes, more: bytes = b"") -> bytes:
    head = b'--x\r\nContent-Disposition: form-data; name="' + name + b'"' + more
    return head + b"\r\n\r\n" + value + b"\r\n"


def refused(owner: Tries, what: str, name: str, *args: Any, **given: Any) -> None:
    """Send it; the answer is a page (200, 422: with what is wrong) or an error of the client's."""
    status = owner.send(f"{name} {what}", "post", at(name), *args, **given)
    assert status in (200, 302, 400, 413, 415, 422), (name, what, status)


@pytest.mark.parametrize("name", NAMES)
def test_no_hostile_field_breaks_them(owner: Tries, name: str) -> None:
    sample = SAMPLES[name]
    for act in ("save", "preview", "up:1"):
        body = dict.fromkeys(sample, "a\0b") | {"act": act, "n": "3"}
        refused(owner, f"nul everywhere {act}", name, body)
    for what, value in HOSTILE.items():
        refused(owner, f"{what} everywhere", name, dict.fromkeys(sample, value) | ASKED)
    for field in sample if name != "tutorial-grade" else ():  # that takes no fields
        refused(owner, f"{field} nul", name, sample | {field: "a\0b"})
    assert not owner.unkind, owner.told()
    assert not TutorialContent.objects.exists()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_huge_or_broken_is_refused(owner: Tries, name: str) -> None:
    sample = SAMPLES[name]
    file = {"file": SimpleUploadedFile("f\0.json", b"\0\xff" * 5000)}
    field = next(iter(sample))
    bodies: dict[str, Any] = {
        "huge field": sample | {field: HUGE},
        "huge name": sample | {HUGE: "a"},
        "many fields": sample | {f"q{i}-key": "a" for i in range(3000)},
        "many values": sample | {"q1-right": ["2"] * 3000},
        "nul in a name": sample | {"q1-\0": "\0"},
        "a file": sample | file,
        "a file in place of a field": sample | {field: file["file"]},
    }
    for what, body in bodies.items():
        refused(owner, what, name, body)
    raw = {
        "nothing": b"",
        "no end": part(b"title", b"a"),
        "bytes": part(b"title", b"\xff\xfe\0") + b"--x--\r\n",
        "bytes in a name": part(b"\xff\0", b"a") + b"--x--\r\n",
        "nul in a file name": part(b"file", b"\0", b'; filename="a\0"') + b"--x--\r\n",
        "odd charset": part(b"title", b"a", b"\r\nContent-Type: text/plain; charset=no\0ne")
        + b"--x--\r\n",
        "broken base64": part(b"title", b"!", b"\r\nContent-Transfer-Encoding: base64")
        + b"--x--\r\n",
    }
    for what, content in raw.items():
        refused(owner, what, name, content, content_type=MULTIPART)
    refused(owner, "no boundary", name, b"a", content_type="multipart/form-data")
    assert not owner.unkind, owner.told()
    assert not TutorialContent.objects.exists()


@pytest.mark.slow
def test_no_answer_to_be_graded_breaks_it(owner: Tries) -> None:
    fine = question()
    bodies = dict(JSON_BODIES)
    bodies["huge"] = json.dumps(fine | {"response": {"value": HUGE}}).encode()
    for what, value in (SCALARS | {"nul": "a\0b", "digits": 10**400}).items():
        bodies[f"tutorial {what}"] = json.dumps(fine | {"tutorial": value}).encode()
        odd = {"question": value, "response": value}
        bodies[f"question and response {what}"] = json.dumps(fine | odd).encode()
    for what in ("nul", "object", "mixed", "beyond floats"):
        value = (SCALARS | {"nul": "a\0b"})[what]
        bodies[f"response {what}"] = json.dumps(fine | {"response": {"value": value}}).encode()
    for what, body in bodies.items():
        refused(owner, what, "tutorial-grade", body, content_type="application/json")
    assert not owner.unkind, owner.told()
    assert owner.n == len(bodies)
