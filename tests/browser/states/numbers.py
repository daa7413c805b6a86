"""The dashboard from the first judgment to the three hundredth."""

from collections.abc import Callable

from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.estimation.collecting import collect
from tests.factories import campaign

GOALS = {"overall": 0.3, "edit": 0.2}


def after(n: int, **changes: object) -> Callable[[Visitor], None]:
    def reach(visitor: Visitor) -> None:
        usual = {"items": 130, "targets": GOALS, "budget": 200, "name": "News in short, autumn"}
        made = campaign(owner=logged_in(visitor), **{**usual, **changes})
        collect(made, n, every=10)
        dashboard(visitor, made)

    return reach


for n in (0, 1, 5, 12, 60, 300):
    state(f"numbers/after-{n:03}")(after(n))
