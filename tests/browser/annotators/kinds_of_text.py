"""Texts of every kind that systems write, to be judged; and how they look on a page."""

from itertools import pairwise
from typing import Any

from playwright.sync_api import FrameLocator, Page

CODE = '''def mean(values, weights=None):
    """Return the weighted mean of some values."""
    if weights is None:
        weights = [1 for _ in values]
    total = 0
    for value, weight in zip(values, weights):
\t\tif weight:
\t\t\ttotal += value * weight  # a comment that is long enough to be wider than a phone is
    return total / sum(weights)
'''
TABLE = (
    "City\tPeople\tRiver\n"
    "Norholm\t18,400\tLenn\n"
    "Great Tarrow\t320\t–\n"
    "Orsby on the Lenn\t7,150\tLenn\n"
)
RIGHT_TO_LEFT = (
    "مكتبة المدينة مفتوحة حتى التاسعة مساءً أيام الخميس.\n"
    "    وقال المجلس إن الساعات الإضافية (3 ساعات) ستستمر حتى مارس 2027.\n\n"
    "- الدخول مجاني.\n"
    "- تبدأ الجولات كل ساعة من الساعة 10:00."
)
SENTENCE = (
    "The council of Norholm met on Monday evening and spoke for two hours about the old bridge, "
    "the timetable of the ferry and the roof of the library. "
)
LONG = "\n\n".join(SENTENCE * 5 for _ in range(20)).strip()  # 3,000 words
NOTHING = " \n\t\u200b\n"
KINDS = {
    "code": CODE,
    "table": TABLE,
    "right-to-left": RIGHT_TO_LEFT,
    "long": LONG,
    "empty": NOTHING,
}

# Where each line that shows something begins: [its text, distance from the start of the box].
_LINES = """element => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const places = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest(".sr")) continue;
    for (let i = 0; i < node.data.length; i += 1) places.push([node, i]);
    text += node.data;
  }
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const range = document.createRange();
  const lines = [];
  let at = 0;
  for (const line of text.split("\\n")) {
    const first = line.search(/\\S/u);
    if (first >= 0) {
      const [node, offset] = places[at + first];
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      const { left, right, top } = range.getBoundingClientRect();
      const indent = style.direction === "rtl" ? box.right - right : left - box.left;
      lines.push([line.trim(), Math.round(indent), Math.round(top)]);
    }
    at += line.length + 1;
  }
  return lines;
}"""


def drawn_lines(page: Page | FrameLocator, selector: str) -> list[tuple[str, int, int]]:
    """Return (text, indentation in px, top in px) of each line of the text in an element."""
    found: Any = page.locator(selector).first.evaluate(_LINES)
    return [(text, indent, top) for text, indent, top in found]


def keeps_layout(page: Page | FrameLocator, selector: str, text: str = CODE) -> None:
    """See that an element shows each line of a text on a line of its own, as far in as it is."""
    lines = [line for line in text.split("\n") if line.strip()]
    drawn = drawn_lines(page, selector)
    assert [said for said, _indent, _top in drawn] == [line.strip() for line in lines], selector
    wanted = [len(flat) - len(flat.lstrip()) for flat in (line.expandtabs(4) for line in lines)]
    seen = [indent for _said, indent, _top in drawn]
    for here, after in pairwise(zip(wanted, seen, strict=True)):
        steps = [(a > b) - (a < b) for a, b in zip(here, after, strict=True)]
        assert steps[0] == steps[1], (selector, wanted, seen)
    tops = [top for _said, _indent, top in drawn]
    assert tops == sorted(set(tops)), (selector, tops)
