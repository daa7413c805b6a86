"""How a text is shown: as it is, as Markdown, or as a chat; and the words that its readers see.

The source is what is stored, edited and exported. Its visible text is the text of the HTML that it
is drawn as, whitespace included, as a browser's `textContent`: highlights count its characters, and
metrics and reading time its words.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from html import unescape
from html.parser import HTMLParser
from itertools import takewhile
from time import thread_time
from typing import Any
from xml.etree.ElementTree import tostring

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from latex2mathml.converter import Converter
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.texmath import texmath_plugin
from pygments import format as formatted
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Of the rule that makes the visible text, the libraries' part of it included: it changes whenever
# the visible text of any source may change, because highlights count its characters. Campaigns
# keep the version with which they opened in their protocol.
VERSION = "1"

LONGEST = 60_000  # characters that are drawn as anything but themselves
LONGEST_CODE, LONGEST_FORMULA = 10_000, 500  # characters of one that are coloured, or set
LONGEST_COLOURING, COLOURING = 0.01, 2e-5  # seconds of a block of code, and of each character
MOST_TOKENS = 20_000  # blocks and inline parts of a text, so that pages stay small
MOST_FORMULAS = 1000
MOST_BRACKETS = 6000  # each may begin a link, whose end is looked for
MOST_LINES = 8000
MOST_COLOURED, MOST_SET = 200, 10_000  # blocks of code, and characters of formulas, of one text
MOST_TURNS = 400
JUDGED = ("assistant", "model", "ai", "gpt", "bot")  # roles whose last turn is an output


class TextForm(StrEnum):
    PLAIN = "plain"
    MARKDOWN = "markdown"
    CHAT = "chat"
    LAST_TURN = "last_turn"  # a chat, of which only the last turn is judged


OF_INPUTS = (TextForm.PLAIN, TextForm.MARKDOWN, TextForm.CHAT)


Env = dict[str, Any]  # what has been drawn of one text so far


class NotDrawn(ValueError):
    """A text that is shown as its source: too long, too deep, or no chat."""


class Drawing:
    """The time that a page with many texts may take to draw them; the rest stay as they are."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.left = seconds

    @contextmanager
    def one(self) -> Iterator[None]:
        """Draw one text; raises `NotDrawn` once the time is over."""
        if self.left <= 0:
            raise NotDrawn
        begun = thread_time()
        try:
            yield
        finally:
            self.left -= thread_time() - begun


def html(source: str, form: str) -> SafeString:
    """Return a text as HTML without links, pictures, scripts or styles; raises `NotDrawn`."""
    return _drawn(source, form)[0]


def _drawn(source: str, form: str) -> tuple[SafeString, "_Text"]:
    """Return a text as HTML, and what is read there."""
    if form == TextForm.PLAIN or len(source) > LONGEST:
        raise NotDrawn
    env: Env = {}
    if form == TextForm.MARKDOWN:
        drawn = _markdown(source, env)
    elif form == TextForm.LAST_TURN:
        drawn = _words(chat(source)[-1], env)
    else:
        drawn = "".join(_turn(one, env) for one in chat(source))
    cleaned = _cleaned(drawn)
    read = _Text()
    read.feed(cleaned)
    read.close()
    if not any(map(str.strip, read.found)):
        raise NotDrawn
    return cleaned, read


def before_last_turn(source: str, form: str) -> SafeString:
    """Return what stands above the judged turn, "" where there is nothing."""
    try:
        turns = chat(source)[:-1] if form == TextForm.LAST_TURN and len(source) <= LONGEST else []
        env: Env = {}
        return _cleaned("".join(_turn(one, env) for one in turns))
    except NotDrawn:
        return SafeString("")


def visible(source: str, form: str) -> str:
    """Return what readers see of a text: of one that is shown as its source, all of it."""
    return with_blocks(source, form)[0]


def beginning(source: str, form: str, most: int) -> str:
    """Return what readers see first, in one line of about `most` characters or more.

    It is quick for any text. One that is shown as its source is returned as it is.
    """
    if form == TextForm.PLAIN or len(source) > LONGEST:
        return source
    try:
        turns = [] if form == TextForm.MARKDOWN else chat(source)
    except NotDrawn:
        return source
    if form == TextForm.LAST_TURN:
        source = said(turns[-1])
    elif turns:
        source = "\n\n".join(f"{one['role']}: {said(one)}" for one in turns)
    return " ".join(visible(source[: ROOM * most], TextForm.MARKDOWN).split())


ROOM = 8  # characters of the source for one that is seen: addresses are not short


def with_blocks(source: str, form: str) -> tuple[str, list[tuple[int, int, int, int]]]:
    """Return the visible text, and where blocks of Markdown stand: start and end in it, and lines.

    Lines count from 1, the last one included. Blocks inside others are left out.
    """
    try:
        _html, read = _drawn(source, form)
    except NotDrawn:
        return source, []
    return "".join(read.found), read.blocks if form == TextForm.MARKDOWN else []


def proposed(sources: Sequence[str]) -> TextForm:
    """Return the form that most of these texts seem to have."""
    given = [one for one in sources if one.strip()]
    if given and all(one.startswith("[") and _is_chat(one) for one in given):
        return TextForm.CHAT
    marked = sum(1 for one in given if MARKS.search(one))
    return TextForm.MARKDOWN if marked and 10 * marked >= len(given) else TextForm.PLAIN


# What hardly stands in a text that is not Markdown.
MARKS = re.compile(
    r"^ {0,3}```|^\|? ?:?-{3,}:? ?\||^#{1,6} \S|\*\*[^*\s][^*\n]*\*\*|^ {0,3}(?:[-*]|1\.) \S.*\n"
    r" {0,3}(?:[-*]|2\.) \S|\\\([^\n]{1,200}?\\\)|^\$\$|\[[^\[\]\n]+\]\(https?://",
    re.MULTILINE,
)


def _is_chat(source: str) -> bool:
    try:
        return bool(chat(source))
    except NotDrawn:
        return False


# Chats: a JSON list of objects with a role and a content.


def chat(source: str) -> list[dict[str, Any]]:
    """Return the turns of a chat, at least one; raises `NotDrawn`."""
    try:
        turns = json.loads(source)
    except (ValueError, RecursionError):
        raise NotDrawn from None
    if not (isinstance(turns, list) and 0 < len(turns) <= MOST_TURNS):
        raise NotDrawn
    if not all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in turns):
        raise NotDrawn
    return turns


def said(turn: dict[str, Any]) -> str:
    """Return the words of a turn; of parts that are no text, what they are."""
    content = turn.get("content")
    if isinstance(content, list):
        return "\n\n".join(_part(one) for one in content)
    return content if isinstance(content, str) else ""


def _part(one: Any) -> str:
    if isinstance(one, dict) and isinstance(one.get("text"), str):
        return str(one["text"])
    if isinstance(one, dict) and isinstance(one.get("type"), str):
        return f"[{one['type']}]"
    return one if isinstance(one, str) else ""


def _words(turn: dict[str, Any], env: Env) -> str:
    calls = turn.get("tool_calls")
    calls = calls if isinstance(calls, list) else []
    if len(calls) > MOST_TURNS:
        raise NotDrawn
    return _markdown(said(turn), env) + "".join(map(_call, calls))


def _turn(turn: dict[str, Any], env: Env) -> str:
    role, inside = turn["role"].strip() or "?", _words(turn, env)
    if role in ("system", "developer"):
        return (
            f'<details class="turn"><summary class="role">{escape(role)}</summary>\n'
            f"{inside}</details>\n"
        )
    mine = " answer" if role.casefold() in JUDGED else ""
    return f'<div class="turn{mine}"><p class="role">{escape(role)}</p>\n{inside}</div>\n'


def _call(one: Any) -> str:
    called = one.get("function", one) if isinstance(one, dict) else {}
    called = called if isinstance(called, dict) else {}
    given = called.get("arguments", called.get("input", ""))
    given = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=1)
    if len(given) > LONGEST:
        raise NotDrawn  # deep lists, indented
    name = escape(str(called.get("name", "")))
    return f'<p class="role">tool call {name}</p>\n{_code(escape(given))}'


# Markdown: CommonMark with tables, strikethrough, formulas, and coloured code.


def _markdown(source: str, env: Env) -> str:
    if source.count("\\(") + source.count("\\[") > MOST_FORMULAS:
        raise NotDrawn  # the end of each is looked for
    if source.count("[") > MOST_BRACKETS or source.count("\n") > MOST_LINES:
        raise NotDrawn
    tokens = MARKDOWN.parse(source)
    if sum(1 + len(one.children or ()) for one in tokens) > MOST_TOKENS or _is_deep(tokens):
        raise NotDrawn
    if _loses_cells(tokens, source):
        raise NotDrawn
    for one in tokens:
        if one.nesting == 1 and one.tag not in ("table", "thead", "tbody", "tr"):
            one.attrSet("dir", "auto")
        if one.nesting == 1 and one.level == 0 and one.map:
            one.attrSet("data-lines", f"{one.map[0] + 1}-{one.map[1]}")
        if one.type in ("heading_open", "heading_close"):  # no headings of the page
            level, one.tag = one.tag, "p"
            if one.nesting == 1:
                one.attrSet("class", f"head {level}")
    return str(MARKDOWN.renderer.render(tokens, MARKDOWN.options, env))


def _is_deep(tokens: Sequence[Token]) -> bool:
    """Return whether the parser has left out what is nested too deep for it."""
    return any(one.level >= MARKDOWN.options["maxNesting"] - 1 for one in tokens)


def _loses_cells(tokens: Sequence[Token], source: str) -> bool:
    """Return whether a row has more cells than its table's header, which are left out."""
    lines = re.split(r"\r\n?|\n", source)
    n_columns = 0
    for one in tokens:
        if one.type == "table_open":
            n_columns = 0
        elif one.type == "th_open":
            n_columns += 1
        elif one.type == "tr_open" and one.level == 2 and n_columns and one.map:  # in no quotation
            cells = escapedSplit(lines[one.map[0]].strip().strip("|"))
            if any(map(str.strip, cells[n_columns:])):
                return True
    return False


class _Renderer(RendererHTML):
    def link_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        return '<span class="link">'

    def link_close(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        opening = next(i for i in range(at, -1, -1) if tokens[i].type == "link_open")
        words = "".join(one.content for one in tokens[opening:at])
        address = _address(str(tokens[opening].attrGet("href") or ""), beside=words)
        return f"</span>{address}{_title(tokens[opening])}"

    def image(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        one = tokens[at]
        words = f'<span class="image">[{escape(one.content)}]</span>'
        return words + _address(str(one.attrGet("src") or ""), beside="") + _title(one)

    def table_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        return f'<div class="wide" tabindex="0"{self.renderAttrs(tokens[at])}>\n<table>\n'

    def table_close(self, *_: Any) -> str:
        return "</table>\n</div>\n"

    def fence(self, tokens: Sequence[Token], at: int, *more: Any) -> str:
        one, env = tokens[at], more[-1]
        env["coloured"] = env.get("coloured", 0) + 1
        is_plain = env["coloured"] > MOST_COLOURED
        code = escape(one.content) if is_plain else _coloured(one.content, one.info)
        return _code(code, _lines(one))

    def code_block(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        one = tokens[at]
        return _code(escape(one.content), _lines(one))

    def math_inline(self, tokens: Sequence[Token], at: int, *more: Any) -> str:
        return _formula(tokens[at].content, "inline", more[-1])

    def math_block(self, tokens: Sequence[Token], at: int, *more: Any) -> str:
        drawn = _formula(tokens[at].content, "block", more[-1])
        return f'<div class="formula" tabindex="0"{_lines(tokens[at])}>{drawn}</div>\n'


def _code(inside: str, lines: str = "") -> str:
    return f'<pre tabindex="0"{lines}><code>{inside}</code></pre>\n'


def _lines(one: Token) -> str:
    return f' data-lines="{one.map[0] + 1}-{one.map[1]}"' if one.map and one.level == 0 else ""


def _address(address: str, *, beside: str) -> str:
    if not address or address in (beside, f"mailto:{beside}"):
        return ""
    return f' <span class="address">({escape(address)})</span>'


def _title(one: Token) -> str:
    title = one.attrGet("title")
    return f' <span class="address">({escape(str(title))})</span>' if title else ""


LONG_SPACE = re.compile(r"\s{200}")  # over which a lexer may go back and forth within one match


def _coloured(code: str, info: str) -> str:
    name = info.split()[0] if info.split() else ""
    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    if len(code) > LONGEST_CODE or LONG_SPACE.search(code):
        return escape(code)
    until = thread_time() + LONGEST_COLOURING + len(code) * COLOURING
    tokens = list(takewhile(lambda _: thread_time() < until, lexer.get_tokens(code)))
    if "".join(words for _kind, words in tokens) != code:  # too slow, or a lexer changes it
        return escape(code)
    # Names of their own: Pygments calls a regular expression "sr", which hides it on our pages.
    drawn = str(formatted(tokens, HtmlFormatter(nowrap=True, classprefix="code-")))
    return drawn if code.endswith("\n") else drawn.removesuffix("\n")  # which it adds


# Commands of its own, which may double what they are given; comments; and what takes room unseen.
NOT_SET = re.compile(r"\\(?:def|(?:re)?new|provide|Declare|[hv]?phantom)|(?<!\\)%")
REFERENCE = re.compile(r"&#x[0-9A-Fa-f]+;")


def _formula(source: str, display: str, env: Env) -> str:
    """Return a formula as MathML, or as its source. env: what the text has of them so far."""
    source = source.strip()
    env["set"] = env.get("set", 0) + len(source)
    if len(source) <= LONGEST_FORMULA and env["set"] <= MOST_SET and not NOT_SET.search(source):
        try:
            drawn = Converter(display=display).convert_to_element(source)
            for one in drawn.iter():  # its texts hold references, which are no markup
                one.text = one.text and REFERENCE.sub(lambda it: unescape(it[0]), one.text)
            return str(tostring(drawn, encoding="unicode"))
        except Exception:  # noqa: S110  what is no formula fails there in many ways
            pass
    return f"<code>{escape(source)}</code>"


MARKDOWN = (
    MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    .enable(["table", "strikethrough"])
    .disable("reference")  # “[Answer]: 42” would vanish, and one may be the address of many links
    .use(dollarmath_plugin, allow_space=False, allow_labels=False, double_inline=True)
    .use(texmath_plugin, delimiters="brackets")
)
# The plugins bring renderers of their own.
for _name in ("math_inline", "math_block"):
    MARKDOWN.add_render_rule(_name, getattr(_Renderer, _name))
MARKDOWN.add_render_rule("math_inline_double", _Renderer.math_inline)

TAGS = {
    *("p", "ul", "ol", "li", "blockquote", "hr", "br", "em", "strong", "s"),
    *("code", "pre", "div", "span", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary"),
    *("math", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msup"),
    *("msub", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle"),
    *("mpadded", "menclose", "mmultiscripts", "mprescripts"),
}
ATTRIBUTES = {
    "*": {"dir", "data-lines"},
    "ol": {"start"},
    "math": {"display"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "separator"},
    "mfrac": {"linethickness"},
    "mtable": {"columnalign", "rowspacing", "columnspacing"},
    "mspace": {"width"},
    **{tag: {"class", "tabindex"} for tag in ("div", "pre", "span", "p", "details", "summary")},
}


SURROGATES = re.compile("[\ud800-\udfff]")


def _cleaned(drawn: str) -> SafeString:
    """Return HTML with nothing but what is listed above, whatever wrote it."""
    drawn = SURROGATES.sub("\ufffd", drawn)  # JSON may name halves of characters
    return mark_safe(  # noqa: S308  cleaned by a library of its own
        nh3.clean(drawn, tags=TAGS, attributes=ATTRIBUTES, link_rel=None, url_schemes=set())
    )


class _Text(HTMLParser):
    """Collects the text of cleaned HTML, and where its blocks stand."""

    VOID = ("br", "hr")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.length = 0
        self.open: list[tuple[int, str]] = []  # of each open element: where it starts, its lines
        self.blocks: list[tuple[int, int, int, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append((self.length, dict(attrs).get("data-lines") or ""))

    def handle_endtag(self, tag: str) -> None:
        start, lines = self.open.pop()
        if lines:
            first, _dash, last = lines.partition("-")
            self.blocks.append((start, self.length, int(first), int(last)))

    def handle_data(self, data: str) -> None:
        self.found.append(data)
        self.length += len(data)
