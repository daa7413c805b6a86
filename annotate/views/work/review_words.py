"""Every sentence that tells annotators what was noticed in their work, and what follows from it."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments.base import Instrument
from annotate.screening.base import Told
from annotate.screening.screens import SCREENS, Settings
from annotate.selectors.review.own_reviews import Looked, OwnRuling, OwnTask
from annotate.selectors.review.records import Fired


def notice(found: Fired, settings: Settings, instrument: Instrument) -> Told:
    """Return a title and sentences for one screen: their numbers, and where the screen begins."""
    screen = SCREENS.get(found.screen)
    if screen is None:
        return _("Something in your work differs from the others’ work"), [_rests_on(found)]
    title, sentences = screen.annotators.notice(
        found, settings.of(screen.thresholds), paragraphs=instrument.needs_paragraphs
    )
    return title, [*sentences, _rests_on(found)]


def _rests_on(found: Fired) -> str:
    said = ngettext(
        "This rests on %(n)d of your tasks.", "This rests on %(n)d of your tasks.", found.n
    )
    return said % {"n": found.n}


# ---- their own tasks -------------------------------------------------------------------------


def evidence(found: Fired, tasks: Iterable[OwnTask], instrument: Instrument) -> list[Any]:
    """Return (task, what the screen saw in it) for the tasks that this screen looks at."""
    screen = SCREENS.get(found.screen)
    see = screen.annotators.evidence if screen else None
    told = ((task, see(task) if see else instrument.recalled(task.response)) for task in tasks)
    return [(task, said) for task, said in told if said]


# ---- where it stands -------------------------------------------------------------------------


def status(looked: Looked) -> dict[str, str]:
    """Return the state in one line (`title`, with an icon and a tone) and what it means."""
    if looked.status == "cleared" and looked.blocked:
        return {
            "icon": "info",
            "tone": "act",
            "title": _("Your work counts, and this researcher’s studies are closed to you"),
            "text": _(
                "You are paid as usual for what you have done. You get no new tasks in this "
                "researcher’s studies."
            ),
        }
    found = _of_work(looked)
    if looked.blocked:
        closed = _("This researcher’s studies are closed to you.")
        return found | {"text": f"{found['text']} {closed}"}
    return found


def _of_work(looked: Looked) -> dict[str, str]:
    """What `status` says of the work alone."""
    if looked.status == "open":
        return {
            "icon": "clock",
            "tone": "act",
            "title": _("A person is looking at your work"),
            "text": _(
                "Something was noticed automatically. A person decides, not a program. Until then "
                "you get no new tasks in this study, and what you have earned stays yours."
            ),
        }
    if looked.status == "cleared":
        return {
            "icon": "check",
            "tone": "",
            "title": _("Your work was looked at, and it counts")
            if looked.person_looked
            else _("Your work counts"),
            "text": _("Nothing changes for you: you can go on, and you are paid as usual."),
        }
    person = _("A person decided about your work.")
    if looked.person_looked:
        person = _("A person looked at your work and decided about it.")
    if looked.pay_refused:
        text = _(
            "It is not used in the results and not paid. The reason is below. What you earned by "
            "the tutorial stays yours."
        )
        title = _("Your work is not used, and its pay is refused")
        return {"icon": "warning", "tone": "warn", "title": title, "text": f"{person} {text}"}
    text = _(
        "It is not used in the results. Your pay does not change: what you have earned stays yours."
    )
    title = _("Your work is not used")
    return {"icon": "info", "tone": "act", "title": title, "text": f"{person} {text}"}


def decided(rulings: Iterable[OwnRuling]) -> list[tuple[str, OwnRuling]]:
    """Return the sentences about decisions. Those made at once for one reason are joined."""
    told: list[tuple[str, OwnRuling]] = []
    for ruled in rulings:
        if told and ruled.at == told[-1][1].at:
            told[-1] = (f"{told[-1][0]} {act(ruled.act)}", ruled)
        else:
            told.append((act(ruled.act), ruled))
    return told


def act(name: str) -> str:
    """Return what a reviewer decided, in the annotator's words."""
    return {
        "clear": _("Your work counts."),
        "exclude": _("Your work is not used in the results."),
        "restore": _("Your work counts again."),
        "refuse": _("Pay for your tasks is refused."),
        "repay": _("The refused pay is restored."),
        "block": _("This researcher’s studies are closed to you."),
        "unblock": _("This researcher’s studies are open to you again."),
    }.get(name, name)


def told_at_work(reason: str) -> str:
    """Return the bar's sentence on why no further task follows; "" for none."""
    if reason == "review":
        return _("Your work is being looked at")
    return _("No further tasks: see why") if reason else ""


def appeal_strings() -> dict[str, str]:
    return {"nothing_written": _("Write what we should know before you send it.")}
