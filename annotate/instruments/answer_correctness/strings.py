"""The texts of the page's script."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments import highlighting
from annotate.instruments.plurals import by_number


def judging() -> dict[str, Any]:
    return _lacking() | {
        "highlighting": highlighting.strings(),
        "remove": _("Remove"),
        "remove_number": _("Remove highlight %(n)s"),
        "unconfirmed": _("Changed: confirm it again"),
        "nothing_to_confirm": _("Nothing to confirm yet: answer and highlight first"),
        "done": _("%(n)s of %(all)s done"),
    }


def _lacking() -> dict[str, Any]:
    """Return each missing part, as the bar says it for paragraphs, and as the paragraph does."""
    return {
        "no_plausible": _("whether the answer is plausible"),
        "lacking": {
            "todo": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s has no answer", "Paragraphs %(list)s have no answer", n
                )
            ),
            "highlight": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s needs a highlight",
                    "Paragraphs %(list)s need a highlight",
                    n,
                )
            ),
            "confirm": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s is not confirmed",
                    "Paragraphs %(list)s are not confirmed",
                    n,
                )
            ),
        },
        "lacking_here": {
            "todo": _("No answer yet"),
            "highlight": _("Needs a highlight"),
            "confirm": _("Not confirmed yet"),
        },
    }
