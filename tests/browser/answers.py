"""A question, an answer and paragraphs to judge; and a hand on the mouse."""

from dataclasses import dataclass, field

from playwright.sync_api import Page, Request, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Participation
from tests.factories import campaign, person

QUESTION = "who drew the clock tower in brandel"
ANSWER = "Ada Marsh"
PARAGRAPHS = (
    "The 👩‍👩‍👧 café́ on the square, and the clock tower, were drawn by Ada Marsh in 1913.",
    "The market is held on Mondays.",
    "Others say that his brother drew the tower, and that she drew thirty-two others.",
)
CENTRE = """([selector, words]) => {
  const box = document.querySelector(selector);
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) nodes.push(node);
  const at = nodes.map((n) => n.data).join("").indexOf(words);
  const place = (index) => {
    let left = index;
    for (const node of nodes) {
      if (left < node.data.length) return [node, left];
      left -= node.data.length;
    }
  };
  const range = document.createRange();
  range.setStart(...place(at));
  range.setEnd(...place(at));
  const end = place(at + words.length - 1);
  range.setEnd(end[0], end[1] + 1);
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  const { left, top, width, height } = range.getClientRects()[0];
  return [left + width / 2, top + height / 2];
}"""


def rows(paragraphs: tuple[str, ...] = PARAGRAPHS, question: str = QUESTION) -> list[Row]:
    """Two questions with one answer each."""
    return [
        Row(item, "alpha", ANSWER, input=question, paragraphs=paragraphs) for item in ("1", "2")
    ]


def participant(
    paragraphs: tuple[str, ...] = PARAGRAPHS, question: str = QUESTION, **changes: object
) -> Participation:
    made = campaign(
        rows_=rows(paragraphs, question),
        instrument="answer_correctness",
        metrics=(),
        targets={"any_correct": 0.2},
        double_share=0,
        **changes,
    )
    return person(made)


@dataclass
class Desk:
    """The page of one annotator."""

    page: Page
    base: str
    who: Participation
    on_its_way: set[Request] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.on_its_way.add(request))
        self.page.on("requestfinished", lambda request: self.on_its_way.discard(request))
        self.page.on("requestfailed", lambda request: self.on_its_way.discard(request))

    def open(self) -> None:
        self.page.goto(f"{self.base}/work/p/{tokens.participation_token(self.who.pk)}/")
        self.ready()

    def ready(self) -> None:
        expect(self.page.locator(".crit[data-current]")).to_have_count(1)  # the script has started

    def centre(self, n: int, words: str) -> tuple[float, float]:
        x, y = self.page.evaluate(CENTRE, [f"#paragraph-{n} .text", words])
        return x, y

    def drag(
        self, n: int, first: str, last: str, *, release: tuple[int, int] | None = None
    ) -> None:
        """From the middle of one word to that of another, or beyond it to `release`."""
        mouse = self.page.mouse
        mouse.move(*self.centre(n, first))
        mouse.down()
        mouse.move(*self.centre(n, last), steps=3)
        if release:
            mouse.move(*release)
        mouse.up()

    def verdict(self, n: int, value: int) -> None:
        self.page.check(f"input[name=paragraph-{n}][value='{value}']")

    def plausible(self, answer: str = "yes") -> None:
        self.page.check(f"input[name=plausible][value={answer}]")

    def state(self, n: int, state: str) -> None:
        expect(self.page.locator(f".steps li:nth-child({n}) a")).to_have_attribute(
            "data-state", state
        )

    def shown(self, n: int) -> None:
        expect(self.page.locator(f"#paragraph-{n}")).to_be_visible()
        expect(self.page.locator(".paragraph:visible")).to_have_count(1)

    def highlights(self, n: int) -> list[str]:
        return self.page.locator(f"#paragraph-{n} .spans q").all_inner_texts()

    def leave(self) -> None:
        """Nothing is on its way to the server any more: the next test empties the database."""
        self.page.context.set_offline(True)
        while self.on_its_way:
            self.page.wait_for_timeout(20)

    def saved(self) -> None:
        expect(self.page.locator("#saved")).to_have_attribute("data-state", "saved")
