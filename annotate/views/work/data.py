"""The data of the annotator's page and its script: the task and its context."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments.base import Instrument
from annotate.selectors.work import admission, corrections
from annotate.selectors.work.admission import Nothing
from annotate.selectors.work.corrections import LastText
from annotate.selectors.work.task_page import Figures, SavedDraft, Study, Visit, Work
from annotate.text.figures import money
from annotate.views.work import unit_words
from annotate.views.work.review_words import told_at_work
from annotate.views.work.script_words import correcting_strings, strings

IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"\./([\w.-]+\.js)";', re.MULTILINE)


@cache
def imported(script: str) -> tuple[str, ...]:
    """Return the modules that `script`, a static file, imports at its start, and theirs."""
    folder, _slash, first = script.rpartition("/")
    seen: dict[str, None] = {}
    todo = [first]
    while todo:
        name = todo.pop(0)
        if name not in seen:
            seen[name] = None
            todo += IMPORT.findall(_source(f"{folder}/{name}"))
    return tuple(f"{folder}/{name}" for name in seen if name != first)


def _source(name: str) -> str:
    path = finders.find(name)
    return Path(path).read_text() if path else ""


def about(instrument: Instrument) -> dict[str, str]:
    """Return what templates need to describe the instrument and its time."""
    about = instrument.template.replace(".html", "_about.html")
    return {"about": about, "help": help_template(instrument), "minutes": instrument.minutes}


def help_template(instrument: Instrument) -> str:
    """Return the template of the panel next to the task: instructions and keys."""
    return instrument.template.replace(".html", "_help.html")


def modules(instrument: Instrument) -> tuple[str, ...]:
    """Return what the page's script imports: the script has the name of the template."""
    name = instrument.template.rpartition("/")[2].replace(".html", ".js")
    return imported(f"js/{name}")


def context(
    token: str, visit: Visit, current: Work | None, nothing: Nothing | None, *, number: int
) -> dict[str, Any]:
    """Return the context of an instrument's page."""
    study = visit.study
    return {
        "visit": visit,
        "study": study,
        "current": current,
        "nothing": nothing,
        "number": number,
        "crowd": unit_words.label(study.crowd),
        "me": reverse("annotate:me", args=[token]),
        "words": words(study, visit.figures, number=number, correctable=corrections.may(visit.id)),
        "data": _data(token, visit, current, nothing),
        "strings": strings(study.instrument),
        "criteria": [c for c in study.instrument.criteria if c.levels],
        "modules": modules(study.instrument),
        **about(study.instrument),
    }


def example(study: Study, current: Work, *, why: str, start: str) -> dict[str, Any]:
    """Return the context of an instrument's page that shows an example and has no annotator."""
    link = {"href": start, "text": _("Go to the start")} if start else None
    label = _("Example")
    return {
        "study": study,
        "current": current,
        "example": True,
        "words": {"texts": {"place": label}},
        "start": start,
        "data": {
            "token": "",
            "assignment": _assignment(study, current),
            "urls": {},
            "example": {"message": why, "link": link},
        },
        "strings": strings(study.instrument),
        "criteria": [c for c in study.instrument.criteria if c.levels],
        "modules": (*modules(study.instrument), "js/example.js"),
        **about(study.instrument),
    }


def correcting(token: str, visit: Visit, text: LastText) -> dict[str, Any]:
    """Return the context of an instrument's page that corrects a submitted text."""
    study, found = visit.study, text.answered
    draft = SavedDraft(0, study.instrument.reopened(found.response))
    shown = context(
        token, visit, Work(text.assignment_id, text.material, draft), None, number=visit.judged
    )
    urls = {
        "page": reverse("annotate:work", args=[token]),
        "submit": reverse("annotate:work-correct", args=[text.assignment_id]),
    }
    left = _before_hand_in(visit, text)
    shown["data"] |= {"urls": urls, "correcting": {"after": found.answers}}
    if left is not None:
        shown["data"]["correcting"]["seconds"] = left
    shown["strings"] |= correcting_strings()
    shown["words"]["texts"]["correct"] = ""
    shown["modules"] = (*shown["modules"], "js/correcting.js")
    minutes = None if left is None else max(1, round(left / 60))
    return shown | {"correcting": {"back": urls["page"], "minutes": minutes}}


def _before_hand_in(visit: Visit, text: LastText) -> float | None:
    """Return after how many seconds a unit is handed in without a correction of its last text.

    None where it is not handed in: by link, or while it has another task.
    """
    if visit.unit is None or admission.open_of(visit.id).exists():
        return None
    return max(0.0, (text.until - timezone.now()).total_seconds())


def first_time(visit: Visit) -> dict[str, str] | None:
    """Return the introduction for newcomers from a marketplace. By link, people have read it."""
    if visit.unit is None or not visit.is_new:
        return None
    offer, study = visit.unit.offer, visit.study
    return {
        "offered": unit_words.offered(offer, None, study.tutorial_bonus, after=study.bonus_after),
        "paid": unit_words.how_paid(offer),
        "stored": unit_words.stored(study.crowd),
    }


def words(
    study: Study, figures: Figures, *, number: int, correctable: bool = False
) -> dict[str, Any]:
    """Return what changes with each task: the page's title, and texts by their place's name.

    correctable: whether the text submitted last may be corrected, as far as is known.
    """
    return {
        "title": f"{_task(number)} · {study.title} · Plumbline",
        "texts": {
            "place": _place(study, figures, number),
            "today": tasks(figures.judged_today),
            "earned": money(figures.earned_today),
            "notice": told_at_work(figures.barred),
            "correct": _("Correct the last text") if correctable else "",
        },
    }


def said(instrument: Instrument, task: int, response: Mapping[str, Any]) -> dict[str, str]:
    """Return the answers for display next to the item's other texts, by position."""
    if not instrument.shows_others:
        return {}
    answer = _("Your answer: %(answer)s") % {"answer": instrument.recalled(response)}
    return {f"said-{task}": answer}


def handed(token: str, study: Study, work: Work) -> dict[str, Any]:
    """Return a task as the page's script puts it in place of another one of this study."""
    return {
        "data": {
            "token": token,
            "release": release(),
            "told": study.told,
            "assignment": _assignment(study, work),
            "urls": _urls(token, work),
            "finished": None,
        },
        "parts": render_to_string(_parts(study.instrument), {"study": study, "current": work}),
    }


def release() -> str:
    """Return what changes whenever the pages' scripts and styles do; "" while developing."""
    return str(getattr(staticfiles_storage, "manifest_hash", ""))


def _parts(instrument: Instrument) -> str:
    """Return the template of what changes on the page with each task."""
    return instrument.template.replace(".html", "_parts.html")


def tasks(n: int) -> str:
    return ngettext("%(n)d task", "%(n)d tasks", n) % {"n": n}


def _task(number: int) -> str:
    return _("Task %(number)d") % {"number": number}


def _place(study: Study, figures: Figures, number: int) -> str:
    if figures.tasks is not None:
        return _("Task %(number)d of %(n)d") % {"number": number, "n": figures.tasks}
    if study.annotator_cap is None:
        return _task(number)
    return _("Task %(number)d of at most %(cap)d") % {"number": number, "cap": study.annotator_cap}


def _data(
    token: str, visit: Visit, current: Work | None, nothing: Nothing | None
) -> dict[str, Any]:
    return {
        "token": token,
        "release": release(),
        "told": visit.study.told,
        "assignment": current and _assignment(visit.study, current),
        "urls": _urls(token, current),
        "finished": nothing
        and {"reason": nothing.reason, "message": nothing.message, "final": nothing.final},
    }


def _assignment(study: Study, current: Work) -> dict[str, Any]:
    instrument = study.instrument
    return {
        "id": current.id,
        "version": instrument.version,
        "text": instrument.shown(current.material),
        "task": instrument.page(current.material),
        "signals": study.signals,
        "draft": {"revision": current.draft.revision, "data": current.draft.data},
    }


def _urls(token: str, current: Work | None) -> dict[str, str]:
    urls = {"page": reverse("annotate:work", args=[token])}
    if current is None:
        return urls | {"feedback": reverse("annotate:feedback")}
    verbs = ("heartbeat", "draft", "ahead", "submit", "return")
    return urls | {verb: reverse(f"annotate:work-{verb}", args=[current.id]) for verb in verbs}
