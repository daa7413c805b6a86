"""Texts in their forms: what is drawn, what a reader sees of it, and what no text may become."""

import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.common import content
from annotate.instruments import base as instruments_base
from tests.browser.states import formatted

SEEN = {
    "plain words": "plain words\n",
    "**bold** _it_ `code` ~~gone~~": "bold it code gone\n",
    "# Title\n\ntext": "Title\ntext\n",
    "- one\n- two": "\none\ntwo\n\n",
    "1. one\n2. two": "\none\ntwo\n\n",
    "> quoted": "\nquoted\n\n",
    "```py\nx = 1\n```": "x = 1\n\n",
    "[here](http://e.org/x)": "here (http://e.org/x)\n",
    "<http://e.org>": "http://e.org\n",
    "![a mill](http://e.org/x.png)": "[a mill] (http://e.org/x.png)\n",
    "$E = mc^2$ costs $5 and $6": "E=mc2 costs $5 and $6\n",
    "\\(a_1\\)": "a1\n",
    "$\\frac$": "\\frac\n",
    "<b>bold</b> &amp; &lt;": "<b>bold</b> & <\n",
    "line\nbreak": "line\nbreak\n",
}


@pytest.mark.parametrize("source", SEEN)
def test_a_reader_sees_the_words_without_the_marks(source: str) -> None:
    assert content.visible(source, "markdown") == SEEN[source]


# What the rule makes of texts with everything in them, by its version.
RECORDED = {"1": "d127bfb7301c268d29609aa31d3064721f766cab01c5aedac8a3158ef20546ea"}


def test_another_rule_has_another_version() -> None:
    """A library that draws texts in other words changes the rule too: raise `content.VERSION`."""
    sources = [
        (one, "markdown") for one in (*SEEN, formatted.ANSWER, formatted.ARABIC, formatted.CHINESE)
    ]
    sources += [(formatted.CHAT, form) for form in ("chat", "last_turn")]
    seen = "\0".join(content.visible(*one) for one in sources)
    assert hashlib.sha256(seen.encode()).hexdigest() == RECORDED[content.VERSION]


def test_plain_text_is_what_it_is() -> None:
    assert content.visible("**x**", "plain") == "**x**"
    with pytest.raises(content.NotDrawn):
        content.html("**x**", "plain")


def test_a_table_is_drawn_and_read_cell_by_cell() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert content.html(table, "markdown").count("<td") == 2
    assert content.visible(table, "markdown").split() == ["a", "b", "1", "2"]


DANGERS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](http://e.org)",
    "![x](http://e.org/pixel.png)",
    "![x](javascript:alert(1))",
    "<svg onload=alert(1)>",
    "<math><a xlink:href='javascript:alert(1)'>x</a></math>",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\class{a}{x}$ $\\style{color:red}{x}$",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "<style>*{display:none}</style>",
    "[x]: http://e.org\n\n[x]",
    "</p></div><form action=http://e.org><button>Submit</button>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "[<img src=x onerror=alert(1)>](http://e.org)",
    "| <script> |\n|---|\n| <iframe src=x> |",
]
ELEMENT = re.compile(r"<\s*/?\s*([a-z0-9]+)([^>]*)>", re.IGNORECASE)


def assert_harmless(drawn: str) -> None:
    for name, attributes in ELEMENT.findall(drawn):
        assert name in content.TAGS
        assert not re.search(r"\b(?:on\w+|href|src|style|action|id)\s*=", attributes), attributes


@pytest.mark.parametrize("form", ["markdown", "chat", "last_turn"])
@pytest.mark.parametrize("source", DANGERS)
def test_no_text_becomes_a_link_a_picture_or_a_script(source: str, form: str) -> None:
    text = source if form == "markdown" else json.dumps([{"role": source, "content": source}])
    drawn = content.html(text, form)
    assert_harmless(drawn)
    assert content.visible(text, form).strip()


BOMBS = {
    "quotes": "> " * 10_000 + "x",
    "lists": "".join("  " * depth + "- a\n" for depth in range(240)),
    "formulas": "\\(" * 20_000,
    "too long": "a" * (content.LONGEST + 1),
    "cells beyond the header": "|a|\n|-|\n|b|lost|",
    "many cells": "|a" * 100 + "\n" + "|-" * 100 + "\n" + ("|b" * 100 + "\n") * 120,
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_cannot_be_drawn_is_shown_as_it_was_written(name: str) -> None:
    with pytest.raises(content.NotDrawn):
        content.html(BOMBS[name], "markdown")
    assert content.visible(BOMBS[name], "markdown") == BOMBS[name]


LARGE = {
    "links": "[a](http://b) " * 4000,
    "stars": "*" * 50_000,
    "brackets": "[" * 50_000,
    "pictures": "![" * 25_000,
    "emphasis": "*a _b " * 9000,
    "dollars": "$a" * 20_000,
    "tags": "<a " * 19_000,
    "markup in formulas": "$\\left($ " * 500,
    "deep in a formula": "$" + "{" * 400 + "$",
    "macros": "$\\def\\q#1{{#1}{#1}{#1}{#1}}" + "\\q{" * 9 + "x" + "}" * 9 + "$",
    "one long address": "[a]: " + "&" * 30_000 + "\n\n" + "![a] " * 5900,
    "a slow lexer": ("```csharp\n" + "a\n" * 4990 + "```\n") * 5,
    "a wide run": "```c\n" + " " * 9000 + "\n```",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_texts_are_drawn_or_shown_as_they_are(name: str) -> None:
    try:
        assert_harmless(content.html(LARGE[name], "markdown"))
    except content.NotDrawn:
        assert content.visible(LARGE[name], "markdown") == LARGE[name]


KEPT = {
    "[Answer]: 42": "[Answer]: 42",
    "[here](http://e.org 'a title')": "a title",
    "![mill](http://e.org 'a title')": "a title",
    "```js\nx = /abc/;\n```": "/abc/",
    "```console\n$ ls\nlost line": "lost line",
    "```robotframework\na\tb\n```": "a\tb",
    "$\\text{a<b and c>d}$": "a<b and c>d",
    '$\\text{<p/class="send">h}$': '<p/class="send">h',
    "$\\tag*{<p data-lines=1-99>}$": "data-lines=1-99",
    "$x % said$": "% said",
    "$\\phantom{said}$": "said",
}


@pytest.mark.parametrize("source", KEPT)
def test_no_word_is_lost_or_becomes_markup(source: str) -> None:
    assert KEPT[source] in content.visible(source, "markdown").replace("\xa0", " ")
    assert_harmless(content.html(source, "markdown"))


def test_no_class_of_our_pages_is_given_to_code() -> None:
    drawn = content.html("```js\nx = /abc/;\n```", "markdown")
    assert all(name.startswith("code-") for name in re.findall(r'span class="(\S+)"', drawn))


def test_half_a_character_is_shown_as_none() -> None:
    assert "\ufffd" in content.visible('[{"role": "user", "content": "\\ud800"}]', "chat")


@pytest.mark.parametrize("text", ["[" * 50_000, "\\(" * 25_000])
@pytest.mark.slow
def test_the_form_of_odd_texts_is_soon_proposed(text: str) -> None:
    assert content.proposed([text] * 50) == "plain"


@pytest.mark.parametrize("depth", range(1, 26))
def test_nothing_is_lost_however_deep_it_is(depth: int) -> None:
    quoted = "> " * depth + "word"
    nested = "".join("  " * n + f"- a{n}\n" for n in range(depth))
    assert "word" in content.visible(quoted, "markdown")
    assert all(f"a{n}" in content.visible(nested, "markdown") for n in range(depth))


MARKED = st.text(alphabet="ab *_`#>-|[]()!<&;:/\\$~\n\t1.\r\0\u2028é한", max_size=80)


@given(MARKED)
def test_any_text_can_be_shown(source: str) -> None:
    try:
        drawn = content.html(source, "markdown")
    except content.NotDrawn:
        assert content.visible(source, "markdown") == source
    else:
        assert_harmless(drawn)
        assert content.visible(source, "markdown").strip()


CHAT = [
    {"role": "system", "content": "Be *kind*."},
    {"role": "user", "content": "What is this?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "look", "arguments": '{"at": 1}'}}],
    },
    {"role": "tool", "content": "a mill"},
    {"role": "assistant", "content": [{"type": "text", "text": "A **mill**."}, {"type": "image"}]},
]


def test_a_chat_is_read_turn_by_turn() -> None:
    source = json.dumps(CHAT)
    drawn = content.html(source, "chat")
    assert '<details class="turn"><summary class="role">system</summary>' in drawn
    assert content.visible(source, "chat").split() == [
        *("system", "Be", "kind.", "user", "What", "is", "this?"),
        *("assistant", "tool", "call", "look", '{"at":', "1}"),
        *("tool", "a", "mill", "assistant", "A", "mill.", "[image]"),
    ]


def test_of_a_last_turn_the_others_stand_above() -> None:
    source = json.dumps(CHAT)
    assert content.visible(source, "last_turn").split() == ["A", "mill.", "[image]"]
    assert "What is this?" in content.before_last_turn(source, "last_turn")
    assert content.before_last_turn(source, "chat") == ""


NO_CHATS = [
    *("", "[]", "{}", "[1]", '[{"role": 1}]', '[{"content": "x"}]', "[" * 50_000, '"text"'),
    json.dumps([{"role": "user", "content": "x"}] * (content.MOST_TURNS + 1)),
]


@pytest.mark.parametrize("source", NO_CHATS, ids=range(len(NO_CHATS)))
@pytest.mark.parametrize("form", ["chat", "last_turn"])
def test_what_is_no_chat_is_shown_as_it_was_written(source: str, form: str) -> None:
    assert content.visible(source, form) == source
    assert content.before_last_turn(source, form) == ""


def test_calls_that_fill_a_page_are_shown_as_they_were_written() -> None:
    deep: list[object] = []
    for _level in range(400):
        deep = [deep]
    for calls in ([{"name": "f", "input": [deep] * 20}], [{"name": "f"}] * 1000):
        source = json.dumps([{"role": "assistant", "content": "x", "tool_calls": calls}])
        assert content.visible(source, "chat") == source


@pytest.mark.parametrize(
    "calls", [5, [1], [{"function": 2}], [{"name": None, "input": {"a": [1]}}]]
)
def test_odd_turns_are_shown(calls: object) -> None:
    source = json.dumps([{"role": " Judge ", "content": {"x": 1}, "tool_calls": calls}])
    assert "Judge" in content.visible(source, "chat")


PROPOSED = {
    "plain": ["One sentence.", "Prices rose by $5 * 2 - 3.", "- no list", "see #4 | yes"],
    "markdown": ["**Yes**, it is.", "plain", "no"],
    "chat": [json.dumps(CHAT), json.dumps(CHAT[:2])],
}


@pytest.mark.parametrize("form", PROPOSED)
def test_the_form_of_a_file_is_proposed(form: str) -> None:
    assert content.proposed([*PROPOSED[form], ""]) == form


@pytest.mark.parametrize(
    "marked",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\ncode\n```",
        "## Head\ntext",
        "- a\n- b",
        "1. a\n2. b",
        "so \\(x\\) holds",
        "$$\nx\n$$",
        "see [this](https://e.org)",
    ],
)
def test_marks_of_markdown_are_known(marked: str) -> None:
    assert content.proposed([marked]) == "markdown"


def test_no_text_at_all_is_plain() -> None:
    assert content.proposed([]) == content.proposed(["", " "]) == "plain"


def test_blocks_say_where_they_come_from() -> None:
    source = "# Title\n\none **two**\nthree\n\n- a\n- b\n"
    seen = content.visible(source, "markdown")
    found = [
        (seen[start:end].split(), first, last)
        for start, end, first, last in content.with_blocks(source, "markdown")[1]
    ]
    assert found == [(["Title"], 1, 1), (["one", "two", "three"], 3, 4), (["a", "b"], 6, 7)]


def test_both_texts_of_a_pair_are_read() -> None:
    pair = instruments_base.joined("**a**", "_b_")
    assert instruments_base.visible(pair, "markdown") == ("a\n", "b\n")
    assert instruments_base.visible("**a**", "plain") == ("**a**",)


BEGUN = {
    ("markdown", "# Title\n\nA **bold** [claim](https://e.org/x)\n\n- one"): (
        "Title A bold claim (https://e.org/x) one"
    ),
    ("plain", "# As\n\n**it** is"): "# As\n\n**it** is",
    ("chat", json.dumps(CHAT[-1:])): "assistant: A mill. [image]",
    ("last_turn", json.dumps(CHAT)): "A mill. [image]",
    ("chat", "no chat"): "no chat",
}


@pytest.mark.parametrize(("form", "source"), BEGUN)
def test_lists_show_what_readers_see_first(form: str, source: str) -> None:
    assert content.beginning(source, form, 80) == BEGUN[form, source]


def test_the_beginning_of_a_long_text_is_drawn_alone() -> None:
    text = "**word** " * 5000
    assert 80 <= len(content.beginning(text, "markdown", 80)) < 8 * 80
    assert content.beginning(text * 2, "markdown", 80) == text * 2  # too long to be drawn


@pytest.mark.parametrize(
    "source",
    ["![" * 30_000, "[" * 60_000, "- a\n" * 15_000, "```py\nx\n```\n" * 4000],
    ids=["images", "brackets", "list", "code"],
)
def test_what_takes_long_to_read_is_shown_as_it_was_written(source: str) -> None:
    assert content.visible(source, "markdown") == source


def test_so_much_code_is_coloured_and_so_many_formulas_are_set() -> None:
    blocks = "```py\nx = 1\n```\n" * (content.MOST_COLOURED + 1)
    assert content.html(blocks, "markdown").count("<span") == 3 * content.MOST_COLOURED
    formula = "$x^{" + "1" * 400 + "}$ "
    drawn = content.html(formula * 40, "markdown")
    assert drawn.count("<math") == content.MOST_SET // 405
    turns = json.dumps([{"role": "user", "content": blocks[:1500]}] * 30)
    assert content.html(turns, "chat").count("<span") == 3 * content.MOST_COLOURED


def test_a_page_draws_until_its_time_is_over() -> None:
    drawing = content.Drawing(0.001)
    for _text in range(1000):
        try:
            with drawing.one():
                content.html("**word** " * 100, "markdown")
        except content.NotDrawn:
            break
    else:
        pytest.fail("a thousand texts take longer than a millisecond")
    assert drawing.left <= 0
