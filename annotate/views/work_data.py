"""What the annotator's page hands to its script: the work, and every sentence it may say."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotate.instruments.base import Instrument
from annotate.selectors.work import Visit, Work
from annotate.services.leasing import Nothing


def described(instrument: Instrument) -> dict[str, str]:
    """Return what templates need to say what the instrument asks, and how long that takes."""
    about = instrument.template.replace(".html", "_about.html")
    return {"about": about, "minutes": instrument.minutes}


def page_data(
    token: str, visit: Visit, current: Work | None, nothing: Nothing | None
) -> dict[str, Any]:
    return {
        "token": token,
        "assignment": current and _assignment(visit, current),
        "urls": _urls(token, current),
        "finished": nothing
        and {"reason": nothing.reason, "message": nothing.message, "final": nothing.final},
    }


def _assignment(visit: Visit, current: Work) -> dict[str, Any]:
    instrument = visit.study.instrument
    return {
        "id": current.id,
        "version": instrument.version,
        "text": current.material.text,
        "task": instrument.page(current.material),
        "draft": {"revision": current.draft.revision, "data": current.draft.data},
        "expires_at": current.expires_at.isoformat(),
    }


def _urls(token: str, current: Work | None) -> dict[str, str]:
    urls = {"page": reverse("annotate:work", args=[token])}
    if current is None:
        return urls
    verbs = ("heartbeat", "draft", "submit", "return")
    return urls | {verb: reverse(f"annotate:work-{verb}", args=[current.id]) for verb in verbs}


def strings(instrument: Instrument) -> dict[str, Any]:
    """Return the script's sentences; `%(name)s` is filled in there."""
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
        "next": _("Go to the next text"),
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
            "This text is no longer reserved for you. Your draft is kept, and you can still "
            "submit: it counts if nobody else has taken the text meanwhile."
        ),
    }
