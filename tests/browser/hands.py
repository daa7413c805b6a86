"""Two ways to use a page: a hand on the mouse, and a keyboard alone.

Both find a control by what a person sees or hears of it: its role and its accessible name. The
keyboard reaches each control by tabbing from where the focus is, and every place at which the
focus stops on the way must be seen.
"""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Download, Locator, Page

MOST_STOPS = 90  # the dashboard of a closed campaign has about fifty
# Returns what is wrong with how the focus shows itself: nothing where a person sees it.
SEEN = """(one) => {
  const ringed = (box) => {
    const style = getComputedStyle(box);
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return ring || style.boxShadow !== "none";
  };
  const boxes = [one, one.closest("label"), one.closest(".level, .choice")];
  if (!boxes.some((box) => box && ringed(box))) return "has no ring";
  const { left, top, right, bottom } = one.getBoundingClientRect();
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return "is off screen";
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
  const at = (y) => document.elementFromPoint(x, y);
  const ys = [top + 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2, bottom - 2];
  const near = (found) => found && (one.contains(found) || found.contains(one)
    || found.closest("label")?.control === one || found.closest("label")?.contains(one));
  return ys.some((y) => near(at(y))) ? "" : "is covered";
}"""


class Mouse:
    """Clicks, and types where it has clicked."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, role: Any, name: str | re.Pattern[str]) -> None:
        self.page.get_by_role(role, name=name).click()

    def write(self, label: str, text: str, *, role: Any = "textbox") -> None:
        self.page.get_by_role(role, name=label, exact=True).fill(text)

    def pick(self, label: str | re.Pattern[str]) -> None:
        self.page.get_by_role("radio", name=label).check()

    def give(self, label: str, file: Path) -> None:
        self.page.get_by_label(label).set_input_files(file)

    def download(self, name: str) -> Download:
        with self.page.expect_download() as coming:
            self.press("link", name)
        return coming.value


class Keyboard(Mouse):
    """Presses keys, and nothing else; only a file is chosen in the browser's own window."""

    def reach(self, wanted: Locator) -> None:
        """Press Tab until the focus is on the wanted control."""
        passed: list[str] = []
        while not self._is_at(wanted):
            if len(passed) > MOST_STOPS:
                raise AssertionError(f"Tab does not reach {wanted}; it passed {passed}")
            self.page.keyboard.press("Tab")
            passed.append(self._look())

    def _is_at(self, wanted: Locator) -> bool:
        return bool(self.page.locator(":focus").and_(wanted).count())

    def _look(self) -> str:
        """Return the name of what has the focus, which must be seen."""
        at = self.page.locator(":focus")
        if not at.count():
            return "the end of the page"
        name = at.aria_snapshot().partition("\n")[0].removeprefix("- ")
        wrong = at.evaluate(SEEN)
        assert not wrong, f"the focus at {name} {wrong}"
        return name

    def press(self, role: Any, name: str | re.Pattern[str]) -> None:
        self.reach(self.page.get_by_role(role, name=name))
        self.page.keyboard.press("Enter")

    def write(self, label: str, text: str, *, role: Any = "textbox") -> None:
        self.reach(self.page.get_by_role(role, name=label, exact=True))
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def pick(self, label: str | re.Pattern[str]) -> None:
        """Tab leads to the chosen radio button of a group, and the arrows to the others."""
        wanted = self.page.get_by_role("radio", name=label)
        group = wanted.get_attribute("name")
        self.reach(self.page.locator(f"input[type=radio][name={group}]"))
        for _ in range(self.page.locator(f"input[type=radio][name={group}]").count()):
            if self._is_at(wanted):
                break
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Space")
        assert wanted.is_checked()

    def give(self, label: str, file: Path) -> None:
        self.reach(self.page.get_by_label(label))
        self.page.locator(":focus").set_input_files(file)
