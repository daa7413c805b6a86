"""Every page and state that people see, each with the way into it.

One list for two uses: `test_states.py` looks for barriers in each (axe, both themes, wide and
phone), and `make screenshots` writes a picture of each.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from playwright.sync_api import Page


@dataclass(frozen=True)
class Visitor:
    """A browser page, and the address of the server it looks at.

    staying: what lasts for as long as the state is looked at, such as a crowd in reach.
    """

    page: Page
    base: str
    staying: ExitStack = field(default_factory=ExitStack)

    def goto(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page


@dataclass(frozen=True)
class State:
    name: str
    reach: Callable[[Visitor], None]


STATES: list[State] = []


def state(name: str) -> Callable[[Callable[[Visitor], None]], Callable[[Visitor], None]]:
    """Add the way into a state; `name` is also the picture's: room/subject."""

    def add(reach: Callable[[Visitor], None]) -> Callable[[Visitor], None]:
        STATES.append(State(name, reach))
        return reach

    return add
