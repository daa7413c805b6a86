"""No request of a closed page is answered while a test's rows are removed."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.gate import Gate


@pytest.fixture
def answers() -> list[str]:
    return []


def call(gate: Gate, within: Callable[[], None], answers: list[str]) -> threading.Thread:
    def application(_environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        start("200 OK", [])
        within()
        yield b"done"

    around = gate.around(application)
    thread = threading.Thread(
        target=lambda: list(around({}, lambda status, _headers: answers.append(status)))
    )
    thread.start()
    return thread


def test_shutting_waits_for_those_inside(answers: list[str]) -> None:
    gate, arrived, leave = Gate(), threading.Event(), threading.Event()
    left: list[bool] = []

    def stay() -> None:
        arrived.set()
        leave.wait(5)
        left.append(True)

    inside = call(gate, stay, answers)
    assert arrived.wait(5)
    threading.Timer(0.05, leave.set).start()
    gate.shut()
    assert left == [True]
    inside.join()


def test_nobody_enters_a_shut_gate_until_it_opens(answers: list[str]) -> None:
    gate = Gate()
    gate.shut()
    call(gate, lambda: None, answers).join()
    gate.open()
    call(gate, lambda: None, answers).join()
    assert answers == ["503 Service Unavailable", "200 OK"]


def test_somebody_who_never_leaves_is_named(answers: list[str]) -> None:
    gate, arrived, leave = Gate(), threading.Event(), threading.Event()

    def stay() -> None:
        arrived.set()
        leave.wait(5)

    inside = call(gate, stay, answers)
    assert arrived.wait(5)
    with pytest.raises(AssertionError, match="1 requests"):
        gate.shut(seconds=0.05)
    leave.set()
    inside.join()


def test_an_application_that_fails_is_outside_again(answers: list[str]) -> None:
    gate = Gate()

    def application(_environ: dict[str, Any], _start: Callable[..., Any]) -> Iterator[bytes]:
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        list(gate.around(application)({}, lambda *_: None))
    gate.shut(seconds=1)
