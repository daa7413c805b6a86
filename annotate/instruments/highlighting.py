"""The texts of the highlighter's script (static/js/highlighter.js)."""

from typing import Any

from django.utils.translation import gettext as _


def strings() -> dict[str, Any]:
    return {
        "added": _("Highlighted: “%(words)s”"),
        "removed": _("No longer highlighted: “%(words)s”"),
        "all_removed": _("All highlights removed"),
        "undone": _("Undone"),
        "nothing_to_undo": _("Nothing to undo"),
        "started": _("From “%(words)s”: now choose the last word"),
        "word_highlighted": _("%(words)s, highlighted"),
        "mode_label": _("Highlighting by keys"),
        "mode_on": _(
            "Highlighting by keys. Arrows move from word to word, space starts and ends a "
            "highlight or removes one, Escape leaves."
        ),
        "mode_off": _("Highlighting by keys is off"),
    }
