"""What the annotator's page hands to its script: the work, and every sentence it may say."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments import registry
from annotate.selectors.work import Visit, Work
from annotate.services.leasing import Nothing

# A number that falls into each plural category, in the languages that have it (Intl.PluralRules).
SAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}

USUAL_MINUTES = {"language_quality": "1–3"}  # what people are told a text takes


def described(instrument: str) -> dict[str, str]:
    """Return what templates need to say what the instrument asks, and how long that takes."""
    about = registry.get(instrument).template.replace(".html", "_about.html")
    return {"about": about, "minutes": USUAL_MINUTES[instrument]}


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
    criteria = registry.get(visit.study.instrument).criteria
    shown = ("name", "label", "question", "levels")
    return {
        "id": current.id,
        "text": current.text,
        "criteria": [{key: c.as_data()[key] for key in shown} for c in criteria if c.levels],
        "draft": {"revision": current.draft.revision, "data": current.draft.data},
        "expires_at": current.expires_at.isoformat(),
    }


def _urls(token: str, current: Work | None) -> dict[str, str]:
    urls = {"page": reverse("annotate:work", args=[token])}
    if current is None:
        return urls
    verbs = ("heartbeat", "draft", "submit", "return")
    return urls | {verb: reverse(f"annotate:work-{verb}", args=[current.id]) for verb in verbs}


def strings() -> dict[str, Any]:
    """Return the script's sentences; `%(name)s` is filled in there."""
    return _editing() | _sending() | _keeping()


def _editing() -> dict[str, Any]:
    return {
        "changed": {
            category: ngettext("%(n)s character changed", "%(n)s characters changed", n)
            for category, n in SAMPLES.items()
        },
        "unchanged": _("Nothing changed yet"),
        "spaces_only": _("Nothing but spaces changed yet"),
        "why": _("Asked because you chose %(choices)s. Keep what the text says."),
        "choice": _("“%(level)s” for “%(criterion)s”"),
        "taken_out": _("taken out:"),
        "put_in": _("put in:"),
        "too_long": _("The text is too long to show the changes word by word."),
        "edit_opened": _("An edit is needed now: improve the text below the questions."),
        "edit_closed": _("No edit is needed now."),
        "edit_not_needed": _("An edit is needed only when an answer is below the best one."),
    }


def _sending() -> dict[str, Any]:
    return {
        "missing": _("Still missing:"),
        "no_answer": _("“%(criterion)s” has no answer"),
        "no_edit": _("the improved text"),
        "not_answered": _("Not answered yet"),
        "edit_unchanged": _("The wording has not changed yet. Improve it, or raise the answers."),
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
