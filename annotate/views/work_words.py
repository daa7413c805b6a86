"""Every sentence that the shell's script may say; `%(name)s` is filled in there."""

from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments.base import Instrument


def strings(instrument: Instrument) -> dict[str, Any]:
    return instrument.strings() | _sending() | _keeping()


def _sending() -> dict[str, Any]:
    return {
        "missing": _("Still missing:"),
        "no_answer": _("“%(criterion)s” has no answer"),
        "no_edit": _("the improved text"),
        "not_answered": _("Not answered yet"),
        "edit_unchanged": _("The wording has not changed yet. Improve it, or change the answers."),
        "sending": _("Sending…"),
        "submit": _("Submit"),
        "offline": _("No connection. Your work is kept here and sent as soon as it is back."),
        "server_down": _("The server does not answer. Your work is kept and sent again shortly."),
        "next": _("Go to the next task"),
        "refused": _("The server did not take this:"),
    }


def _keeping() -> dict[str, Any]:
    return {
        "saved": _("Draft saved at %(time)s."),
        "saving": _("Saving…"),
        "unsaved": _("Not saved on the server yet"),
        "kept_here": _("Kept in this browser, not on the server yet"),
        "stale": _("Not saved: newer answers exist"),
        "refused": _("Draft not saved"),
        "no_connection": _("No connection. Try again in a moment."),
        "reload": _("Reload this page"),
        "expired": _(
            "This task is no longer reserved for you. Your draft is kept, and you can still "
            "submit: it counts if nobody else has taken it meanwhile."
        ),
    }
