"""The stand-in's pages without a browser, and the command itself."""

import re
import subprocess
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

import pytest

from extras.mturk_simulator.workers import worker_id
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.extras.mturk_simulator.requester import client, hit

PAGES = (
    "/",
    "/?worker=A1",
    "/earnings?worker=A1",
    "/earnings",
    "/requester",
    "/nowhere",
    "/work/3X",
)


class Stay(HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> None:
        return None


def get(url: str, **headers: str) -> tuple[int, Any, str]:
    try:
        with build_opener(Stay()).open(Request(url, headers=headers)) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_that_it_is_not_amazon(turk: MTurkFarSide, path: str) -> None:
    _, headers, page = get(turk.url + path)
    assert "This is Plumbline’s local stand-in, not Amazon." in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "<script>" not in page
    assert " style=" not in page


def test_what_is_not_there(turk: MTurkFarSide) -> None:
    for path in (
        "/nowhere",
        "/work/3X?worker=A1",
        "/mturk/preview?groupId=3X",
        "/assets/../app.py",
    ):
        assert get(turk.url + path)[0] == 404, path
    with pytest.raises(HTTPError, match="404"):
        urlopen(turk.url + "/nowhere", data=b"a=b")


def test_words_of_requesters_are_escaped(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, Title="<b>Bold</b>", RequesterAnnotation="<i>")
    turk.accept(made["HITId"], "A1")
    for path in ("/?worker=A2", f"/mturk/preview?groupId={made['HITTypeId']}", "/requester"):
        page = get(turk.url + path)[2]
        assert "&lt;b&gt;Bold" in page
        assert "<b>" not in page
        assert "<i>" not in page


def test_the_frame_is_sandboxed(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester)
    here = f"{turk.url}/mturk/preview?groupId={made['HITGroupId']}"
    rights = re.search(r'sandbox="([^"]*)"', get(here)[2])[1].split()
    assert {"allow-scripts", "allow-forms", "allow-popups", "allow-same-origin"} <= set(rights)
    assert not [right for right in rights if "top-navigation" in right]
    strict = re.search(r'sandbox="([^"]*)"', get(f"{here}&same_origin=no")[2])[1].split()
    assert set(rights) - set(strict) == {"allow-same-origin"}


def test_one_page_for_one_worker(turk: MTurkFarSide, requester: Any) -> None:
    unit = turk.accept(hit(requester)["HITId"], "A1")
    assert get(f"{turk.url}/work/{unit}?worker=A1")[0] == 200
    assert get(f"{turk.url}/work/{unit}?worker=A2")[0] == 404


def test_accepting_the_next_one_of_a_group(turk: MTurkFarSide, requester: Any) -> None:
    made = [hit(requester)["HITTypeId"] for _ in range(2)]
    fields = urlencode({"group": made[0], "worker": "A1"}).encode()
    for _ in range(2):
        with urlopen(turk.url + "/accept", data=fields) as answer:
            assert "/work/" in answer.url
    with pytest.raises(HTTPError, match="409"):
        urlopen(turk.url + "/accept", data=fields)


def test_other_names_of_this_machine_lead_here(turk: MTurkFarSide) -> None:
    """Pages that are framed compare addresses, so there must be one."""
    other = turk.url.replace("localhost", "127.0.0.1")
    status, headers, _ = get(f"{other}/?worker=A1")
    assert (status, headers["Location"]) == (303, f"{turk.url}/?worker=A1")
    assert get(turk.url, Host="example.org")[0] == 200


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("A1B2", "A1B2"),
        ("Anna", r"AANNA[0-9A-F]{8}"),
        ("Åse 2", r"ASE2[0-9A-F]{8}"),
        ("王", r"A[0-9A-F]{8}"),
        ("x" * 60, r"AX{20}[0-9A-F]{8}"),
    ],
)
def test_any_name_is_a_worker(text: str, shape: str) -> None:
    assert re.fullmatch(shape, worker_id(text))
    assert worker_id(worker_id(text)) == worker_id(text)


def test_the_earnings_of_a_worker(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, Title="Texts")
    other = hit(requester, Title="Answers", Reward="1.10")
    paid, refused = turk.accept(made["HITId"], "A1"), turk.accept(other["HITId"], "A1")
    for unit in (paid, refused):
        turk.submit(unit, receipt="r")
    requester.approve_assignment(AssignmentId=paid)
    requester.reject_assignment(AssignmentId=refused, RequesterFeedback="Copied word for word.")
    requester.send_bonus(WorkerId="A1", AssignmentId=paid, BonusAmount="0.25", Reason="Tutorial")
    page = get(f"{turk.url}/earnings?worker=A1")[2]
    for words in ("Copied word for word.", "Rejected", "Approved", "$0.25", "Tutorial", "$0.80"):
        assert words in page
    assert "<dt>Approved</dt><dd>$0.80</dd>" in page
    page = get(f"{turk.url}/requester")[2]
    for words in ("receipt: r", "Copied word for word.", made["HITId"], refused, "Tutorial"):
        assert words in page


@pytest.mark.slow
def test_the_command() -> None:
    command = [sys.executable, "manage.py", "mturk_simulator", "--port", "0", "--balance", "12.50"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline()
            url = re.search(r"not Amazon.*(http://localhost:\d+)", said)[1]
            with client(url) as requester:
                assert requester.get_account_balance()["AvailableBalance"] == "12.50"
                assert hit(requester)["HITStatus"] == "Assignable"
        finally:
            process.terminate()
