"""Every sentence that the shell's script may say; `%(name)s` is filled in there."""

from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments.base import Instrument


def strings(instrument: Instrument) -> dict[str, Any]:
    return instrument.strings() | sending() | keeping()


def sending() -> dict[str, Any]:
    return {
        "missing": _("Still missing:"),
        "sending": _("Sending…"),
        "offline": _("No connection. Your work is kept here and sent as soon as it is back."),
        "server_down": _("The server does not answer. Your work is kept and sent again shortly."),
        "next": _("Go to the next task"),
        "not_taken": _("This could not be submitted:"),
    }


def correcting_strings() -> dict[str, Any]:
    """Return what differs on the page that corrects a submitted text."""
    return {
        "sending": _("Sending…"),
        "next": _("Back to the open task"),
        "corrected_kept_here": _("Kept in this browser until you send it"),
    }


def keeping() -> dict[str, Any]:
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


def kind_of_pay(kind: str, reason: str) -> str:
    """Return what an annotator was paid for, in words; `reason` is a person's, of extra pay."""
    known = {
        "reward": _("Tasks"),
        "tutorial": _("Tutorial"),
        "failed_try": _("Tutorial, tried and not passed"),
        "bonus": _("Bonus"),
        "compensation": _("Tasks that came too late to count"),
        "by_hand": _("Compensation"),
        "refusal": _("Pay refused"),
        "reinstatement": _("Refused pay restored"),
        "remainder": _("Tasks that were announced and could not be had"),
        "lapse": _("Work that was not handed in"),
    }
    by_hand = kind == "compensation" and reason
    return known.get("by_hand" if by_hand else kind, _("Other"))


def feedback_strings() -> dict[str, str]:
    return {
        "no_connection": _("No connection. Try again in a moment."),
        "nothing_said": _("Nothing is filled in yet. All of it is optional."),
    }


def feedback_questions() -> list[dict[str, Any]]:
    """Return three questions, each with five answers from the worst to the best."""
    clear = [_("Very unclear"), _("Unclear"), _("Partly clear"), _("Clear"), _("Very clear")]
    enjoyed = [_("Not at all"), _("Not much"), _("In between"), _("I liked it"), _("Very much")]
    paid = [_("Far too low"), _("Too low"), _("Just enough"), _("Fair"), _("Generous")]
    asked = [
        ("clarity", _("Was it clear what to do?"), clear),
        ("enjoyment", _("Did you like the work?"), enjoyed),
        ("pay", _("How is the pay, for the time it takes?"), paid),
    ]
    return [
        {"name": name, "question": question, "levels": list(enumerate(levels, start=1))}
        for name, question, levels in asked
    ]
