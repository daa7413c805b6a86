"""Icons in templates, and the filters that write numbers, money and dates."""

from contextlib import suppress
from math import inf
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.template import Context
from django.utils.html import escape, format_html, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotate.common import content, numbers
from annotate.common.lists import Listing
from annotate.common.numbers import (
    count,
    measured,
    moment,
    money_at_a_glance,
    money_text,
    number,
    percent,
    price,
    short,
    signed,
    width,
)
from annotate.common.text import is_visible, tab_stops
from annotate.crowds import adapters
from annotate.instruments import base as instruments_base
from annotate.review import queries as review_queries

register = template.Library()
ALPHABETICAL = ("name", "order", "worst")  # orders that begin with the least
register.filter("publishes", adapters.publishes)

# Paths of a 24 × 24 drawing, stroked in the colour of the word beside it.
ICONS = {
    "check": "M4 12.5 9.5 18 20 6.5",
    "warning": "M12 4 2.5 20h19Z M12 10v4.5M12 17.4v.1",
    "info": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z M12 11v5.5M12 7.6v.1",
    "clock": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z M12 7v5.2l3.4 2",
    "pause": "M8.5 5v14M15.5 5v14",
    "stop": "M6 6h12v12H6Z",
    "plus": "M12 5v14M5 12h14",
    "people": "M8.5 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z M2.5 20c.6-4 3-6 6-6s5.4 2 6 6"
    " M15.5 5a3.5 3.5 0 0 1 0 6.5M17.5 14.5c2.3.7 3.6 2.6 4 5.5",
    "down": "M12 4v12M6.5 11 12 16.500 17.500 11M4 20h16",
    "copy": "M9 9h11v11H9Z M15 9V4H4v11h5",
    "archive": "M3 5h18v4H3Z M5 9v10h14V9 M10 13h4",
    "flag": "M6 21V4h12l-3 4.500 3 4.500H6",
    "cross": "M8 2.800h8L21.200 8v8L16 21.200H8L2.800 16V8Z M9 9l6 6M15 9l-6 6",
    "right": "M4 12h15M13 6l6 6-6 6",
    "edit": "M4 20h4L19 9l-4-4L4 16Z",
    "open": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
    "target": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z",
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """Draw an icon; the word next to it carries the meaning."""
    return format_html(
        '<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>',
        mark_safe(ICONS[name]),  # noqa: S308  our own drawing
    )


@register.simple_tag
def sorted_by(
    listing: Listing, sort: str, heading: str, css: str = "", *, rises: bool | None = None
) -> SafeString:
    """The heading of a column that orders its list; once more, the other way round.

    rises: whether the order begins with the least; by default the usual ones do (`ALPHABETICAL`).
    """
    is_now = sort == listing.sort
    if rises is None:
        rises = sort in ALPHABETICAL
    direction = "ascending" if rises != listing.backwards else "descending"
    return format_html(
        '<th scope="col"{}{}><a id="{}-by-{}" href="{}">{}{}</a></th>',
        format_html(' class="{}"', css) if css else "",
        format_html(' aria-sort="{}"', direction) if is_now else "",
        listing.anchor,
        sort,
        listing.sorted_by(sort),
        heading,
        format_html(' <span aria-hidden="true">{}</span>', "↑↓"[direction == "descending"])
        if is_now
        else "",
    )


@register.simple_tag
def waiting_reviews(user_id: int) -> int | None:
    """How many annotators wait for this user; None where there was never anything to review."""
    return review_queries.n_waiting(user_id)


class _Compact(DjangoJSONEncoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"separators": (",", ":")})


class _Sentences(_Compact):
    """Letters as they are: half of what a page says in German would be escapes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"ensure_ascii": False})


@register.filter
def data_script(data: dict[str, Any], element_id: str) -> SafeString:
    """Hand a script its data. What people wrote may hold an unpaired surrogate."""
    return json_script(data, element_id, encoder=_Compact)


@register.filter
def sentences_script(sentences: dict[str, Any], element_id: str) -> SafeString:
    """Hand a script the sentences that it may say."""
    return json_script(sentences, element_id, encoder=_Sentences)


@register.filter
def exact(text: str) -> SafeString:
    """Write a text so that a browser reads every character of it: it turns a bare CR into LF."""
    return mark_safe(escape(text).replace("\r", "&#13;"))  # noqa: S308  escaped


@register.filter
def visible(text: str) -> bool:
    """Return whether a text has anything visible."""
    return is_visible(text)


@register.filter
def read_as(text: str, form: str) -> str:
    """Return what readers see of a text in this form, for a sentence about it."""
    return content.visible(text, form or content.TextForm.PLAIN).strip()


@register.filter
def texts(text: str) -> list[str]:
    """Return the text as a list of one, or both texts of a pair in the pair's own order."""
    return list(instruments_base.parts(text)) if instruments_base.MARK in text else [text]


@register.inclusion_tag("_text.html", takes_context=True)
def shown(
    context: Context, text: str, form: str, language: str, css: str = "judged", *, scrolls: str = ""
) -> dict[str, Any]:
    """Show a text in its form, not to be translated by browsers.

    css: the class of its element. scrolls: the id of its heading, where it scrolls by itself.
    Pages with many texts give their context a `content.Drawing`, as `drawing`.
    """
    drawn, before = SafeString(""), SafeString("")
    drawing = context.get("drawing") or content.Drawing(inf)
    with suppress(content.NotDrawn), drawing.one():
        drawn = content.html(text, form)
        before = content.before_last_turn(text, form)
    return {
        "text": text,
        "drawn": drawn,
        "before": before,
        "is_late": drawing.left <= 0,
        "is_source": not drawn and form != content.TextForm.PLAIN and is_visible(text),
        "is_visible": is_visible(text),
        "tabs": tabs(text),
        "language": language,
        "css": css,
        "scrolls": scrolls,
        "campaign": context.get("campaign"),
    }


@register.filter
def of_reference(input_form: str) -> str:
    """The form of references: that of the inputs, or plain where those are chats."""
    plain = input_form == content.TextForm.CHAT
    return content.TextForm.PLAIN if plain else input_form


@register.filter
def tabs(text: str) -> str:
    """The class, with a space before it, of a table whose columns are made by tabs."""
    stops = tab_stops(text)
    return f" tabs-{stops}" if stops else ""


@register.filter
def or_nothing(text: str) -> str:
    """A text within a sentence; where there is none, that is said."""
    return text if is_visible(text) else _("(nothing)")


# How numbers, money and dates look is written in `annotate.common.numbers` alone.
for _write in (
    count,
    measured,
    money_at_a_glance,
    moment,
    number,
    percent,
    price,
    short,
    signed,
    width,
):
    register.filter(_write.__name__, _write)
register.filter("money", money_text)


@register.filter
def on(value: float, axis: Any) -> str:
    """Return where a value lies in a drawing with this axis."""
    return str(axis.x(value))


@register.filter
def many(n: int, words: str) -> str:
    """`1 judgment`, `2 judgments`; of two words, `person,people`, the second is the plural."""
    return numbers.many(n, *words.split(","))


@register.filter
def quoting(text: str, quote: str) -> SafeString:
    """Mark the quoted part of a text; both are text, never markup."""
    before, found, after = text.partition(quote) if quote else (text, "", "")
    return format_html("{}<mark>{}</mark>{}" if found else "{}{}{}", before, found, after)
