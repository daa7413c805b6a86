import pytest

from annotate.crowds import adapters, outbox
from tests.crowds.scripted import Scripted


@pytest.fixture(autouse=True)
def crowd(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A marketplace that answers what the test says."""
    made = Scripted()
    monkeypatch.setattr(adapters, "marketplace", lambda _crowd: made)
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    return made
