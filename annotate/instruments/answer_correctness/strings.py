"""The sentences that the page's script may say."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments import highlighting
from annotate.instruments.plurals import SAMPLES


def judging() -> dict[str, Any]:
    return _lacking() | {
        "highlighting": highlighting.strings(),
        "remove": _("Remove"),
        "remove_number": _("Remove highlight %(n)s"),
        "now_highlight": _("Now highlight the words that show it"),
        "unconfirmed": _("Changed: confirm it again"),
        "all_done": _("Every paragraph is done. You can submit."),
        "nothing_to_confirm": _("Nothing to confirm yet: answer and highlight first"),
        "no_paragraphs_needed": _("Nothing else is asked. You can submit."),
        "done": _("%(n)s of %(all)s done"),
    }


def _lacking() -> dict[str, Any]:
    """Each in the words of the bar, for one paragraph or several, and at the paragraph itself."""
    return {
        "no_plausible": _("whether the answer is plausible"),
        "lacking": {
            "todo": {
                category: ngettext(
                    "Paragraph %(list)s has no answer", "Paragraphs %(list)s have no answer", n
                )
                for category, n in SAMPLES.items()
            },
            "highlight": {
                category: ngettext(
                    "Paragraph %(list)s needs a highlight",
                    "Paragraphs %(list)s need a highlight",
                    n,
                )
                for category, n in SAMPLES.items()
            },
            "confirm": {
                category: ngettext(
                    "Paragraph %(list)s is not confirmed",
                    "Paragraphs %(list)s are not confirmed",
                    n,
                )
                for category, n in SAMPLES.items()
            },
        },
        "lacking_here": {
            "todo": _("No answer yet"),
            "highlight": _("Needs a highlight"),
            "confirm": _("Not confirmed yet"),
        },
    }
