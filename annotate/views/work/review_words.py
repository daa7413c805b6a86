"""Every sentence that tells annotators what was noticed in their work, and what follows from it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.instruments.base import Instrument
from annotate.screening.settings import Settings
from annotate.selectors.review.own_reviews import Looked, OwnRuling, OwnTask
from annotate.selectors.review.records import Fired
from annotate.text.figures import number, percent

Told = tuple[str, list[str]]  # what was noticed, and its numbers


def notice(found: Fired, settings: Settings, instrument: Instrument) -> Told:
    """Return a title and sentences for one screen: their numbers, and where the screen begins."""
    known = {
        "too_fast": _too_fast,
        "low_agreement": _low_agreement,
        "short_edits": _short_edits,
        "thin_evidence": _thin_evidence,
        "no_variation": _no_variation,
        "random_answers": _random_answers,
    }
    if found.screen not in known:
        return _("Something in your work differs from the others’ work"), [_rests_on(found)]
    title, sentences = known[found.screen](found, settings, instrument)
    return title, [*sentences, _rests_on(found)]


def _rests_on(found: Fired) -> str:
    said = ngettext(
        "This rests on %(n)d of your tasks.", "This rests on %(n)d of your tasks.", found.n
    )
    return said % {"n": found.n}


def _too_fast(found: Fired, settings: Settings, instrument: Instrument) -> Told:
    own = settings.timing
    speed = own.scanning if instrument.needs_paragraphs else own.words_per_minute
    sentences = []
    mine, others = found.numbers.get("seconds"), found.numbers.get("others_seconds")
    if mine is not None and others is not None:
        said = _("Half of your tasks took less than %(mine)s seconds; usual here are %(others)s.")
        sentences.append(said % {"mine": number(mine, 0), "others": number(others, 0)})
    if found.value is not None:
        said = _("That is %(share)s of the time that reading takes at %(speed)d words a minute.")
        sentences.append(said % {"share": percent(found.value), "speed": speed})
    limit = _(
        "We look at work that stays below that reading time, and below %(share)s of what is usual."
    )
    return _("Your tasks took little time"), [*sentences, limit % {"share": percent(own.share)}]


def _low_agreement(found: Fired, settings: Settings, _instrument: Instrument) -> Told:
    sentences = []
    if found.value is not None:
        said = _(
            "On a scale where 0 is chance and 1 is how far people here usually agree, yours is "
            "%(value)s."
        )
        sentences.append(said % {"value": number(found.value)})
    limit = _("We look at work whose agreement is clearly below %(threshold)s.")
    sentences.append(limit % {"threshold": number(settings.agreement.threshold)})
    return _("Your answers seldom go with those of other people for the same texts"), sentences


def _short_edits(found: Fired, settings: Settings, _instrument: Instrument) -> Told:
    own, sentences = settings.edits, []
    short, repeated = found.numbers.get("short"), found.numbers.get("repeated")
    if short is not None and repeated is not None:
        said = _(
            "Of the %(n)d texts that you had to improve, %(short)s changed by fewer than "
            "%(characters)d characters, and %(repeated)s became the same text as another one."
        )
        values = {"n": found.n, "short": number(short, 0), "repeated": number(repeated, 0)}
        sentences.append(said % (values | {"characters": own.characters}))
    limit = _("We look at work where this is more than %(share)s of the edits.")
    return _("Your edits changed little"), [*sentences, limit % {"share": percent(own.share)}]


def _thin_evidence(found: Fired, settings: Settings, _instrument: Instrument) -> Told:
    ways = [
        ("one_word", _("a single word: %(share)s of your tasks")),
        ("whole", _("the whole paragraph: %(share)s of your tasks")),
        ("disjoint", _("nothing that anybody else highlighted: %(share)s of your tasks")),
    ]
    shares = [(text, found.numbers.get(way)) for way, text in ways]
    said = "; ".join(text % {"share": percent(part)} for text, part in shares if part is not None)
    most = _("Most of your highlights in a task were %(ways)s.")
    sentences = [most % {"ways": said}] if said else []
    limit = _("We look at work where one of these is more than %(share)s.")
    sentences.append(limit % {"share": percent(settings.evidence.share)})
    return _("Your highlights show little of why"), sentences


def _no_variation(found: Fired, settings: Settings, _instrument: Instrument) -> Told:
    sentences = []
    share, run = found.numbers.get("modal_share"), found.numbers.get("longest_run")
    if share is not None and run is not None:
        said = _("You gave the same answers in %(share)s of your tasks, up to %(run)s in a row.")
        sentences.append(said % {"share": percent(share), "run": number(run, 0)})
    limit = _(
        "We look at work that would be this uniform by chance in fewer than %(n)s of 10,000 "
        "people, given how the others answer."
    )
    sentences.append(limit % {"n": number(10_000 * settings.variation.p_value, 0)})
    return _("You nearly always gave the same answers"), sentences


def _random_answers(found: Fired, settings: Settings, _instrument: Instrument) -> Told:
    sentences = []
    if found.value is not None:
        said = _(
            "Random choice would give such answers about %(odds)s times as often as one of the "
            "others would."
        )
        sentences.append(said % {"odds": number(10 ** min(found.value, 9.0), 0)})
    limit = _("We look at work where this is %(odds)s times or more.")
    sentences.append(limit % {"odds": number(settings.patterns.odds, 0)})
    return _("Your answers go together as if they were drawn at random"), sentences


# ---- their own tasks -------------------------------------------------------------------------


def evidence(found: Fired, tasks: Iterable[OwnTask], instrument: Instrument) -> list[Any]:
    """Return (task, what the screen saw in it) for the tasks that this screen looks at."""
    see: dict[str, Callable[[OwnTask], str]] = {
        "too_fast": _time,
        "short_edits": _edit,
        "thin_evidence": _highlighted,
    }
    seen = see.get(found.screen) or partial(_answers, instrument=instrument)
    return [(task, said) for task in tasks if (said := seen(task))]


def _time(task: OwnTask) -> str:
    return _("%(seconds)s seconds") % {
        "seconds": number(task.seconds, 0 if task.seconds >= 10 else 1)
    }


def _edit(task: OwnTask) -> str:
    if task.response.get("edit") is None:
        return ""
    n = task.response["distance"]
    return ngettext("%(n)d character changed", "%(n)d characters changed", n) % {"n": n}


def _highlighted(task: OwnTask) -> str:
    each = _("%(n)d of %(all)d words")
    return ", ".join(each % {"n": n, "all": whole} for n, whole in task.highlights)


def _answers(task: OwnTask, instrument: Instrument) -> str:
    if "verdicts" in task.response:
        return _verdicts(task)
    chosen = [
        (str(criterion.label), [str(x.label) for x in criterion.levels if x.value == value])
        for criterion in instrument.criteria
        if (value := task.response.get(criterion.name)) is not None and criterion.levels
    ]
    return ", ".join(f"{label}: {levels[0]}" for label, levels in chosen if levels)


def _verdicts(task: OwnTask) -> str:
    if not task.response["plausible"]:
        return _("not plausible")
    names = [(1, _("%(n)d × correct")), (-1, _("%(n)d × incorrect")), (0, _("%(n)d × neither"))]
    given = [verdict["value"] for verdict in task.response["verdicts"]]
    return ", ".join(name % {"n": given.count(value)} for value, name in names if value in given)


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
            "title": _("Your work was looked at, and it counts"),
            "text": _("Nothing changes for you: you can go on, and you are paid as usual."),
        }
    if looked.pay_refused:
        text = _(
            "A person looked at your work and decided not to use it in the results and not to pay "
            "for it. The reason is below. What you earned by the tutorial stays yours."
        )
        title = _("Your work is not used, and its pay is refused")
        return {"icon": "warning", "tone": "warn", "title": title, "text": text}
    text = _(
        "A person looked at your work and decided not to use it in the results. Your pay is not "
        "touched by this: what you have earned stays yours."
    )
    return {"icon": "info", "tone": "act", "title": _("Your work is not used"), "text": text}


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
