"""Texts in forms: Markdown, code, formulas, chats, other scripts, long and empty ones."""

import json
from dataclasses import replace

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.models import Campaign, CampaignImport
from estimation import refresh
from tests.browser.researchers import step, through
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in, read
from tests.browser.states.reviews import show
from tests.browser.states.work import at_work
from tests.factories import campaign, judge, person
from tests.reviewed import flagged

PROMPT = "How do I turn a CSV file into **JSON lines** with Python? Explain *why* it streams."
ANSWER = """\
## Read row by row

Use `csv.DictReader`; it reads one row at a time:

```python
import csv, json

with open("in.csv", newline="") as rows:
    for row in csv.DictReader(rows):  # one dict a row
        print(json.dumps(row, ensure_ascii=False))
```

| step | memory |
|---|---:|
| read | $O(1)$ |
| write | $O(1)$ |

1. Nothing is **collected**.
2. See [the manual](https://docs.example.org/csv) for dialects.

> A file of $n$ rows takes

$$T(n) = \\frac{n}{r} + \\sqrt{c}$$
"""
SHORT = """\
Use *pandas*:

```python
pandas.read_csv("in.csv").to_json("out", lines=True)
```

- short
- loads all of it
"""
ARABIC = """\
## الخلاصة

النص **الأول** مكتوب من اليمين إلى اليسار.

- أول
- ثانٍ

And one line in English.
"""
CHINESE = """\
**要点**：逐行读取，不占内存。

1. 打开文件
2. 逐行转换

`json.dumps` 的结果写入输出。
"""
CLOSING = "On **Saturday** from 10 to 17.\n\n- Entry is free\n- Dogs stay outside"
CHAT = json.dumps([
    {"role": "system", "content": "You answer questions about a town’s museum."},
    {"role": "user", "content": "When does it open?"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "opening_hours", "arguments": '{"museum": "harbour"}'}}]},
    {"role": "tool", "content": '{"saturday": "10–17"}'},
    {"role": "assistant", "content": CLOSING},
])  # fmt: skip
MATH = """\
Let $a_1, \\dots, a_n > 0$. Then

$$\\frac{1}{n} \\sum_{i=1}^n a_i \\ge \\sqrt[n]{\\prod_{i=1}^n a_i}$$

and \\(e^{i\\pi} = -1\\), with the matrix

\\[
\\begin{pmatrix} 1 & 0 \\\\ 0 & x^{2} \\end{pmatrix}
\\]
"""
LONG = "\n\n".join([ANSWER] * 60)  # 4,000 words


def study(*texts: str, **plan: object) -> Campaign:
    rows = [
        Row(item=f"q-{i}", system=system, output=f"{text}\n\n{end}", input=PROMPT)
        for i, text in enumerate(texts)
        for system, end in (("alpha", ""), ("beta", "So far."))
    ]
    if plan.get("output_form") in ("chat", "last_turn"):
        rows = [replace(row, output=text) for row, text in zip(rows, texts * 2, strict=True)]
    if plan.get("shows_reference"):
        rows = [replace(row, reference=SHORT) for row in rows]
    shared = {"name": "Assistants", "metrics": (), "shows_input": True, "rows_": rows}
    return campaign(**{"output_form": "markdown", "input_form": "markdown", **shared, **plan})


def task(visitor: Visitor, *texts: str, **plan: object) -> None:
    page = visitor.goto(at_work(person(study(*texts, **plan))))
    expect(page.locator("[data-current]")).to_be_visible()


@state("formatted/task")
def _task(visitor: Visitor) -> None:
    task(visitor, ANSWER)


@state("formatted/reference")
def _reference(visitor: Visitor) -> None:
    task(visitor, ANSWER, shows_reference=True)


@state("formatted/source")
def _source(visitor: Visitor) -> None:
    task(visitor, ANSWER)
    visitor.page.keyboard.press("s")
    expect(visitor.page.locator("#text .as-written pre")).to_be_visible()


@state("formatted/right-to-left")
def _arabic(visitor: Visitor) -> None:
    task(visitor, ARABIC, language="ar")


@state("formatted/chinese")
def _chinese(visitor: Visitor) -> None:
    task(visitor, CHINESE, language="zh")


@state("formatted/long")
def _long(visitor: Visitor) -> None:
    task(visitor, "\n\n".join([ANSWER] * 40))


@state("formatted/empty")
def _empty(visitor: Visitor) -> None:
    made = campaign(
        rows_=[Row(item="q-0", system=one, output="", input=PROMPT) for one in ("alpha", "beta")],
        metrics=(), output_form="markdown", input_form="markdown", shows_input=True,
    )  # fmt: skip
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("#text")).to_contain_text("wrote nothing")


@state("formatted/chat")
def _chat(visitor: Visitor) -> None:
    task(visitor, CHAT, output_form="chat", shows_input=False)


@state("formatted/last-turn")
def _last_turn(visitor: Visitor) -> None:
    task(visitor, CHAT, output_form="last_turn", shows_input=False)


def pair(visitor: Visitor, first: str, second: str, **plan: object) -> None:
    rows = [
        Row(item="q-0", system="alpha", output=first, input=PROMPT),
        Row(item="q-0", system="beta", output=second, input=PROMPT),
    ]
    made = campaign(
        instrument="preference", targets={"preference": 0.4}, metrics=(), rows_=rows,
        **{"output_form": "markdown", "input_form": "markdown", **plan},
    )  # fmt: skip
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("[data-current]")).to_be_visible()
    expect(page.locator("#input")).to_contain_text("JSON lines")


@state("formatted/pair")
def _pair(visitor: Visitor) -> None:
    pair(visitor, ANSWER, SHORT)


@state("formatted/pair-long")
def _pair_long(visitor: Visitor) -> None:
    pair(visitor, LONG, SHORT)
    visitor.page.keyboard.press("2")
    visitor.page.evaluate("scrollTo({ top: 2000, behavior: 'instant' })")


@state("formatted/pair-right-to-left")
def _pair_arabic(visitor: Visitor) -> None:
    pair(visitor, ARABIC, ARABIC * 2, language="ar")


@state("formatted/pair-chats")
def _pair_chats(visitor: Visitor) -> None:
    pair(visitor, CHAT, CHAT.replace("Dogs", "Cats"), output_form="chat")


# Every content on one page each: an item has a system for each of them.
GALLERY = {
    "markdown": ANSWER,
    "code": SHORT,
    "math": MATH,
    "right-to-left": ARABIC,
    "chinese": CHINESE,
    "empty": "",
    "long": LONG,
}


def gallery(visitor: Visitor, **plan: object) -> Campaign:
    rows = [Row("q-0", name, text, input=PROMPT) for name, text in GALLERY.items()]
    return campaign(
        owner=logged_in(visitor), name="Assistants", metrics=(), rows_=rows, double_share=0,
        **{"output_form": "markdown", "input_form": "markdown", "shows_input": True, **plan},
    )  # fmt: skip


@state("formatted/item")
def _item(visitor: Visitor) -> None:
    made = study(ANSWER, owner=logged_in(visitor))
    judge(person(made))
    visitor.goto(reverse("annotate:item", args=[made.public_id, 1]))


@state("formatted/item-of-all")
def _item_of_all(visitor: Visitor) -> None:
    made = gallery(visitor)
    page = visitor.goto(reverse("annotate:item", args=[made.public_id, 1]))
    expect(page.locator(".output .judged.drawn")).to_have_count(len(GALLERY) - 1)  # one is empty
    expect(page.locator(".judged.long")).to_have_count(1)
    expect(page.get_by_text("cannot be formatted")).to_have_count(0)


@state("formatted/item-of-chats")
def _item_of_chats(visitor: Visitor) -> None:
    made = study(CHAT, CHAT, output_form="last_turn", owner=logged_in(visitor))
    page = visitor.goto(reverse("annotate:item", args=[made.public_id, 1]))
    expect(page.locator(".turn").first).to_be_visible()


@state("formatted/items")
def _items(visitor: Visitor) -> None:
    made = study(CHAT, ANSWER, input_form="markdown", owner=logged_in(visitor))
    page = visitor.goto(reverse("annotate:items", args=[made.public_id]))
    expect(page.get_by_text("How do I turn a CSV file into JSON lines").first).to_be_visible()


@state("formatted/pair-item")
def _pair_item(visitor: Visitor) -> None:
    rows = [Row("q-0", "alpha", ANSWER, input=PROMPT), Row("q-0", "beta", SHORT, input=PROMPT)]
    made = campaign(
        owner=logged_in(visitor), instrument="preference", targets={"preference": 0.4},
        metrics=(), rows_=rows, output_form="markdown", input_form="markdown",
    )  # fmt: skip
    page = visitor.goto(reverse("annotate:item", args=[made.public_id, 1]))
    expect(page.locator(".both .drawn")).to_have_count(2)


@state("formatted/review")
def _review(visitor: Visitor) -> None:
    made = study(ANSWER, CHINESE, owner=logged_in(visitor))
    who = person(made)
    for _task in range(2):
        judge(who)
    show(visitor, flagged(who, "no_variation"))


@state("formatted/review-of-all")
def _review_of_all(visitor: Visitor) -> None:
    made = gallery(visitor, annotator_cap=None)
    who = person(made)
    for _task in range(5):
        judge(who)
    show(visitor, flagged(who, "no_variation"))
    expect(visitor.page.locator("article.output")).to_have_count(5)


@state("formatted/own-page")
def _own_page(visitor: Visitor) -> None:
    made = study(ANSWER, ARABIC, CHINESE)
    who = person(made)
    for _task in range(3):
        judge(who)
    flagged(who, "no_variation")
    page = visitor.goto(at_work(who) + "me/")
    page.get_by_text("Your 3 tasks").click()
    expect(page.get_by_text("Read row by row").first).to_be_visible()


@state("formatted/report")
def _report(visitor: Visitor) -> None:
    made = gallery(visitor)
    judge(person(made))
    refresh.refresh(made.pk)
    visitor.goto(reverse("estimation:report", args=[made.public_id]))


@state("formatted/preview")
def _preview(visitor: Visitor) -> None:
    """The samples of a file, and then its second item as annotators see it."""
    page = of_file(visitor)
    through(page)
    expect(page.get_by_text("Read row by row Use csv.DictReader").first).to_be_visible()


@state("formatted/preview-item")
def _preview_item(visitor: Visitor) -> None:
    step(of_file(visitor), "Next: plan")
    of = CampaignImport.objects.get()
    page = visitor.goto(reverse("annotate:import-item", args=[of.public_id, 1]))
    expect(page.locator("#text .drawn")).to_be_visible()


def of_file(visitor: Visitor) -> Page:
    """The second step of a campaign of two items with each content."""
    texts = {**GALLERY, "long": LONG[:8000]}
    rows = [
        {"item": f"q-{n}", "system": name, "output": text, "input": PROMPT}
        for n in range(2)
        for name, text in texts.items()
    ]
    return read(visitor, "\n".join(map(json.dumps, rows)).encode())
