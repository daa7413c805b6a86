"""What the demonstration says before it begins."""

from io import StringIO

from extras.demo.crowds import ByLink
from extras.demo.runner import RunningDemo
from extras.management.commands.demo import Command


def test_it_says_how_long_it_takes() -> None:
    out, url = StringIO(), "http://localhost:8000"
    Command(stdout=out)._say_where(RunningDemo(url, 1, f"{url}/campaigns/x/", ByLink()))
    assert "44 simulated annotators" in out.getvalue()
    assert "closes itself in about three minutes." in out.getvalue()
