"""Every sentence for annotators: notices, rulings, pay, paid units, tutorials, scripts."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.common.numbers import money_text
from annotate.crowds import adapters
from annotate.crowds.contract import from_json
from annotate.crowds.prices import ZERO
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import Tutorial
from annotate.models import Batch, Participation, Review, Ruling, TutorialRound
from annotate.pay.promise_queries import ROUNDS
from annotate.review.queries import OwnStanding
from annotate.screening.base import NoticeText, Task, Verdict
from annotate.screening.screens import SCREENS, Settings
from annotate.work import units
from annotate.work.task import Study, Visit
from annotate.work.tutorial_queries import Status


def notice(found: Verdict, settings: Settings, instrument: Instrument) -> NoticeText:
    """Return a title and sentences for one screen: their numbers, and where the screen begins."""
    screen = SCREENS.get(found.screen)
    if screen is None:
        return _("Something in your work differs from the others’ work"), [_rests_on(found)]
    title, sentences = screen.annotators.notice(
        found, settings.of(screen.thresholds), paragraphs=instrument.needs_paragraphs
    )
    return title, [*sentences, _rests_on(found)]


def _rests_on(found: Verdict) -> str:
    said = ngettext(
        "This rests on %(n)d of your tasks.", "This rests on %(n)d of your tasks.", found.n
    )
    return said % {"n": found.n}


def evidence(found: Verdict, tasks: Iterable[Task], instrument: Instrument) -> list[Any]:
    """Return (task, what the screen saw in it) for the tasks that this screen looks at."""
    screen = SCREENS.get(found.screen)
    see = screen.annotators.evidence if screen else None
    told = ((task, see(task) if see else instrument.recalled(task.response)) for task in tasks)
    return [(task, said) for task, said in told if said]


def status(standing: OwnStanding) -> dict[str, str]:
    """Return the state in one line (`title`, with an icon and a tone) and what it means."""
    review = standing.review
    assert review is not None
    if review.status == "cleared" and standing.blocked:
        return {
            "icon": "info",
            "tone": "act",
            "title": _("Your work counts, and this researcher’s studies are closed to you"),
            "text": _(
                "You are paid as usual for what you have done. You get no new tasks in this "
                "researcher’s studies."
            ),
        }
    found = _of_work(review, person_looked=standing.person_looked)
    if standing.blocked:
        closed = _("This researcher’s studies are closed to you.")
        return found | {"text": f"{found['text']} {closed}"}
    return found


def _of_work(review: Review, *, person_looked: bool) -> dict[str, str]:
    """What `status` says of the work alone."""
    if review.status == "open":
        return {
            "icon": "clock",
            "tone": "act",
            "title": _("A person is looking at your work"),
            "text": _(
                "Something was noticed automatically. A person decides, not a program. Until then "
                "you get no new tasks in this study, and what you have earned stays yours."
            ),
        }
    if review.status == "cleared":
        return {
            "icon": "check",
            "tone": "",
            "title": _("Your work was looked at, and it counts")
            if person_looked
            else _("Your work counts"),
            "text": _("Nothing changes for you: you can go on, and you are paid as usual."),
        }
    person = _("A person decided about your work.")
    if person_looked:
        person = _("A person looked at your work and decided about it.")
    if review.pay_refused:
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


def decided(rulings: Iterable[Ruling]) -> list[tuple[str, Ruling]]:
    """Return the sentences about decisions. Those made at once for one reason are joined."""
    told: list[tuple[str, Ruling]] = []
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


# Every sentence that the shell's script may say; `%(name)s` is filled in there.


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


# Every sentence about a paid unit of a marketplace and about the bonus for a tutorial.


def tries(amount: Decimal) -> str:
    """Return what a failed try is paid; "" if nothing."""
    if not amount:
        return ""
    said = _("If you try honestly and do not pass, you are paid %(amount)s.")
    return said % {"amount": money_text(amount)}


def earns(bonus: Decimal, *, after: int) -> str:
    """Return what passing earns; "" if nothing."""
    if not bonus:
        return ""
    said = _("Passing it brings a bonus of %(bonus)s, once.") % {"bonus": money_text(bonus)}
    return f"{said} {due(after)}".strip()


def promised(bonus: Decimal, *, after: int) -> tuple[str, str]:
    """Return the sentence for a person who has just passed, and when the bonus is due; "" if
    none."""
    if not bonus:
        return "", ""
    amount = {"amount": money_text(bonus)}
    if not after:
        return _("You have earned %(amount)s.") % amount, ""
    return _("A bonus of %(amount)s is promised to you.") % amount, due(after)


def waits(after: int, counting: int) -> str:
    """Return the sentence about an annotator's progress towards a promised bonus."""
    so_far = ngettext("%(n)d counts so far.", "%(n)d count so far.", counting) % {"n": counting}
    return f"{due(after)} {so_far}".strip()


def due(after: int) -> str:
    """Return when a bonus is due that is not paid for passing alone."""
    if not after:
        return ""
    said = ngettext(
        "You get the bonus after %(n)d accepted task, or earlier if there are no more for you.",
        "You get the bonus after %(n)d accepted tasks, or earlier if there are no more for you.",
        after,
    )
    return said % {"n": after}


def begin(crowd: str) -> str:
    """Return how to get from an example to real tasks."""
    return _("Accept this work at %(crowd)s to begin.") % {"crowd": adapters.crowd_label(crowd)}


def offered(batch: Batch, study: Study, tutorial: Tutorial | None = None) -> str:
    """Return the description of a unit: its tasks, its pay, and what precedes them."""
    holds = ngettext(
        "This work holds %(n)d task and pays %(reward)s.",
        "This work holds %(n)d tasks and pays %(reward)s.",
        batch.tasks,
    )
    said = [holds % {"n": batch.tasks, "reward": money_text(batch.reward)}]
    if tutorial is not None:
        first = ngettext(
            "A tutorial comes first, once: it takes about %(n)d minute.",
            "A tutorial comes first, once: it takes about %(n)d minutes.",
            tutorial.minutes,
        )
        said.append(first % {"n": tutorial.minutes})
        said.append(earns(study.tutorial_bonus, after=study.bonus_after))
    return " ".join(filter(None, said))


def how_paid(batch: Batch) -> str:
    """Return how pay reaches who works there."""
    said = _(
        "%(crowd)s pays the %(reward)s once your work is approved: %(time)s after you hand it in, "
        "or later if a person looks at it first. What a tutorial earns, and any bonus, is paid as "
        "a bonus after that."
    )
    time = _length(from_json(batch.terms).approve_after)
    return said % {
        "crowd": adapters.crowd_label(batch.crowd),
        "reward": money_text(batch.reward),
        "time": time,
    }


def _length(time: timedelta) -> str:
    minutes, hours = (max(1, round(time.total_seconds() / unit)) for unit in (60, 3600))
    if minutes < 50:
        return ngettext("about %(n)d minute", "about %(n)d minutes", minutes) % {"n": minutes}
    if hours <= 48:
        return ngettext("about %(n)d hour", "about %(n)d hours", hours) % {"n": hours}
    days = round(hours / 24)
    return ngettext("about %(n)d day", "about %(n)d days", days) % {"n": days}


def unit_words_stored(crowd: str) -> str:
    """Return which data is stored about the annotator."""
    said = _(
        "We store your id at %(crowd)s, your answers and edits, and how long each task took. The "
        "researcher sees the id for paying you only; published data carry a random code in its "
        "place."
    )
    return said % {"crowd": adapters.crowd_label(crowd)}


def title(unit: Participation) -> str:
    """Return one line about the state of a unit whose work is over."""
    return {
        "handed_in": _("Your work is saved. Hand it in, so that you are paid."),
        "confirmed": _("Your work has arrived. Thank you!"),
        "approved": _("Your work is approved. Thank you!"),
        "rejected": _("Pay for this work was refused"),
    }.get(unit.status, "")


def done(unit: Participation, n: int) -> str:
    """Return that `n` tasks are done, and that the rest is paid too where it could not be had."""
    tasks, rest = units.offer(unit).tasks, units.topped_up(unit.pk)
    said = ngettext("You did %(done)d of %(n)d task.", "You did %(done)d of %(n)d tasks.", tasks)
    told = [said % {"done": n, "n": tasks}]
    if rest:
        paid = _("No more are to be had, so you are paid for the others as well: %(amount)s.")
        told.append(paid % {"amount": money_text(rest)})
    if n < tasks and units.given_back(unit.pk):
        told.append(_("You returned some undone: a person decides whether the work is paid."))
    return " ".join(told)


def lost(crowd: str) -> str:
    """Return the sentence about work that was done in a submission and never handed in."""
    said = _(
        "It was not handed in at %(crowd)s, so what you did in it cannot be paid there. If it was "
        "not you who returned it, ask the researcher."
    )
    return said % {"crowd": adapters.crowd_label(crowd)}


def give_back(crowd: str) -> str:
    """Return the request to an annotator for whom there is no task."""
    said = _(
        "Please return the work at %(crowd)s. You lose nothing by that: it does not count against "
        "you here, and what you have earned before stays yours."
    )
    return said % {"crowd": adapters.crowd_label(crowd)}


def unsure(crowd: str) -> str:
    """Return why a page shows one submission only, and where the others are."""
    said = _(
        "%(crowd)s tells us who you are once you hand this work in. Until then it could be "
        "anybody, so this page shows this work and nothing else of yours. If we have noticed "
        "something in your earlier work here, or decided about it, we write to you through "
        "%(crowd)s as soon as it passes that on: the address in the message opens your own page, "
        "where you can answer."
    )
    return said % {"crowd": adapters.crowd_label(crowd)}


def stage(status: str, n: int) -> str:
    """Return one line on `n` submissions at a stage."""
    known = {
        "active": _("Being worked on"),
        "handed_in": _("Handed in, not confirmed yet"),
        "confirmed": _("Confirmed, awaiting approval"),
        "approved": _("Approved"),
        "rejected": _("Refused"),
        "left": _("Returned, or out of time"),
    }
    return f"{n} × {known.get(status, status)}"


# Every sentence about the rounds of a tutorial.


def rules(status: Status, visit: Visit) -> str:
    """Return the rules of the tutorial: what passes, and what follows a failed round."""
    told = []
    if status.before is not None:
        said = _("This is your second and last round. In the first, %(right)d of %(n)d were right.")
        told.append(said % {"right": status.before.right, "n": status.before.asked})
    counts = ngettext(
        "Your first answers count: you pass with %(mark)d of %(n)d right.",
        "Your first answers count: you pass with %(mark)d of %(n)d right.",
        status.asked,
    )
    told.append(counts % {"mark": status.mark, "n": status.asked})
    told.append(_("After each answer you read why it is right or not."))
    if status.number >= ROUNDS:
        told.append(_("If you do not pass this round, this study ends here for you."))
    else:
        told.append(
            _(
                "If you do not pass, you may try once more with other questions. If that does not "
                "work either, this study ends here for you."
            )
        )
    if visit.unit is None:
        told.append(_("This won’t affect you in other studies."))
    else:
        said = _(
            "You then return the work at %(crowd)s, without pay. Nothing counts against you here."
        )
        told.append(said % {"crowd": adapters.crowd_label(visit.study.crowd)})
    if status.for_failing:
        said = _(
            "If you complete both rounds without passing, you are still paid %(amount)s, once, "
            "unless your answers come faster than anyone can read."
        )
        told.append(said % {"amount": money_text(status.for_failing)})
    return " ".join(told)


def ended(failed: TutorialRound, tried: Decimal = ZERO, offered: Decimal = ZERO) -> str:
    """Return what a failed round means, for the person who has just ended it.

    tried: what is paid for the try; offered: what the study pays honest people for it.
    """
    said = _("%(right)d of %(n)d first answers were right, and %(mark)d are needed.")
    told = said % {"right": failed.right, "n": failed.asked, "mark": failed.mark}
    if failed.number < ROUNDS:
        return " ".join([told, _("You may try once more, with other questions.")])
    if tried:
        paid = _("You are paid %(amount)s for trying.") % {"amount": money_text(tried)}
        return f"{told} {paid}"
    if offered:
        fast = _("Your answers came faster than anyone can read, so the try is not paid.")
        return f"{told} {fast}"
    return told
