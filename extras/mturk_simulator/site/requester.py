"""One plain page with everything that happened, for checks."""

from xml.etree import ElementTree as ET

from extras.mturk_simulator.api import hits
from extras.mturk_simulator.api.question import ANSWERS
from extras.mturk_simulator.responses import Response
from extras.mturk_simulator.site.formats import money, text, when
from extras.mturk_simulator.site.markup import Html, join, table, tag
from extras.mturk_simulator.site.pages import site
from extras.mturk_simulator.state.records import Hit, HitAssignment
from extras.mturk_simulator.state.world import World


def page(world: World, worker: str) -> Response:
    """Return HITs, assignments, bonuses, people and the balance, newest first."""
    parts = [_balance(world), _hits(world), _assignments(world), _bonuses(world), *_people(world)]
    return site("Requester", join(parts), worker, "/requester")


def _balance(world: World) -> Html:
    words = f"Balance {money(world.balance)}. Its clock says "
    return tag("p", join([words, when(world.now()), "."]))


def _hits(world: World) -> Html:
    heads = (
        "HIT",
        "Title",
        "Reward",
        "Status",
        "Places",
        "Available",
        "At work",
        "Decided",
        "Expires",
        "Annotation",
    )
    rows = [_hit(world, hit) for hit in reversed(world.hits.values())]
    return table("HITs", heads, rows)


def _hit(world: World, hit: Hit) -> tuple[object, ...]:
    shown = hits.shown(world, hit)
    return (
        hit.id,
        text(hit.type.title),
        money(hit.type.reward),
        shown["HITStatus"],
        hit.places,
        shown["NumberOfAssignmentsAvailable"],
        shown["NumberOfAssignmentsPending"],
        shown["NumberOfAssignmentsCompleted"],
        when(hit.expires_at),
        text(hit.annotation),
    )


def _assignments(world: World) -> Html:
    heads = (
        "Assignment",
        "HIT",
        "Worker",
        "State",
        "Accepted",
        "Handed in",
        "Approves itself",
        "Answer",
        "Feedback",
    )
    every = [*world.assignments.values(), *world.earlier]
    ordered = sorted(every, key=lambda one: one.accepted_at, reverse=True)
    return table("Assignments", heads, [_assignment(one) for one in ordered])


def _assignment(one: HitAssignment) -> tuple[object, ...]:
    return (
        one.id,
        one.hit.id,
        one.worker,
        one.state.value,
        when(one.accepted_at),
        when(one.submitted_at),
        when(one.auto_approval_at),
        text(_answers(one.answer)),
        text(one.feedback),
    )


def _answers(document: str) -> str:
    if not document:
        return ""
    names = {"a": ANSWERS}
    found = ET.fromstring(document).findall("a:Answer", names)  # noqa: S314 we wrote it
    pairs = [
        (one.findtext("a:QuestionIdentifier", "", names), one.findtext("a:FreeText", "", names))
        for one in found
    ]
    return ", ".join(f"{name}: {text}" for name, text in pairs)


def _bonuses(world: World) -> Html:
    rows = [
        (money(one.amount), one.worker, one.assignment.id, text(one.reason), when(one.at))
        for one in reversed(world.bonuses)
    ]
    return table("Bonuses", ("Amount", "Worker", "Assignment", "Reason", "When"), rows)


def _people(world: World) -> list[Html]:
    held = [
        (world.qualification_types[one.type].name, one.worker, one.value, when(one.at))
        for one in world.qualifications.values()
        if one.granted and one.type in world.qualification_types
    ]
    notices = [
        (one.worker, text(one.subject), text(one.text), when(one.at))
        for one in reversed(world.notices)
    ]
    return [
        table("Qualifications", ("Type", "Worker", "Value", "Since"), held),
        table(
            "Blocks", ("Worker", "Reason"), [(b.worker, b.reason) for b in world.blocks.values()]
        ),
        table("Messages", ("Worker", "Subject", "Text", "When"), notices),
    ]
