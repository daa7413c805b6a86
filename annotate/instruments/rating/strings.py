"""The texts of the page's script."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments import highlighting
from annotate.instruments.plurals import by_number
from annotate.instruments.rating.definition import Definition


def rating(definition: Definition) -> dict[str, Any]:
    return {
        "choice": _("“%(level)s” for “%(criterion)s”"),
        "no_answer": _("“%(criterion)s” has no answer"),
        "not_answered": _("Not answered yet"),
        "no_edit": _("the improved text"),
        "edit_unchanged": _("The wording has not changed yet. Improve it, or change the answers."),
        **(editing() if definition.asks_for_edits else {}),
        **(_highlighting() if definition.takes_evidence else {}),
        "edit_hint": str(definition.edit.hint),
        "edit_not_needed": str(definition.edit.not_needed),
    }


def editing() -> dict[str, Any]:
    return {
        "changed": by_number(
            lambda n: ngettext("%(n)s character changed", "%(n)s characters changed", n)
        ),
        "unchanged": _("Nothing changed yet"),
        "spaces_only": _("Nothing but spaces changed yet"),
        "why": _("Asked because you chose %(choices)s."),
        "taken_out": _("removed:"),
        "put_in": _("added:"),
        "too_long": _("The text is too long to show the changes word by word."),
        "edit_opened": _("An edit is needed now: improve the text in the text box."),
        "edit_closed": _("No edit is needed now."),
        "reset": _("Start again from the original"),
        "restore": _("Bring my edit back"),
        "was_reset": _("This is the original again. The button brings your edit back."),
        "was_restored": _("Your edit is back."),
    }


def _highlighting() -> dict[str, Any]:
    return {
        "highlighting": highlighting.strings(),
        "now_highlight": _("Now highlight the words that show it."),
        "no_evidence": _("highlights for “%(criterion)s”"),
        "evidence_missing": _("Nothing highlighted yet"),
        "remove": _("Remove"),
        "remove_words": _("Remove the highlight “%(words)s”"),
    }
