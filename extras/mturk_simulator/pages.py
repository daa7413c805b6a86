"""The site: finding work, previewing and doing it, earnings, and all that happened."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from extras.mturk_simulator import hits, qualifications, workers
from extras.mturk_simulator.markup import TEMPLATES, Response
from extras.mturk_simulator.world import AssignmentState, HitAssignment, World

NOT_YET = "ASSIGNMENT_ID_NOT_AVAILABLE"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "frame-src http: https:; form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
)
HEADERS = {"Content-Security-Policy": CSP, "Cache-Control": "no-store"}
State = AssignmentState


def _page(
    template: str, title: str, *, worker: str = "", status: int = 200, **values: Any
) -> Response:
    shown = {"title": title, "worker": worker, "home": address("/", worker=worker), **values}
    body = TEMPLATES.get_template(f"{template}.html").render(shown).encode()
    return Response(status=status, body=body, headers=HEADERS)


def _site(template: str, title: str, worker: str, current: str = "", **values: Any) -> Response:
    """Return a page of the site; `current` is its position among the links."""
    links = {"/": "HITs", "/earnings": "Earnings", "/requester": "Requester"}
    if not worker:
        links = {"/": "Worker", "/requester": links["/requester"]}
    return _page(template, title, worker=worker, links=links.items(), current=current, **values)


def home(world: World, worker: str) -> Response:
    """Return the list of work; without a worker, the question for a name."""
    if not worker:
        return who("/")
    groups = [
        {
            "kind": kind,
            "open": len(members),
            "until": max((hit.expires_at for hit in members), default=None),
        }
        for kind, members in workers.groups(world, worker)
    ]
    return _site("home", "HITs", worker, "/", groups=groups)


def who(action: str, *, group: str = "") -> Response:
    """Return the question for a worker's name; the answer goes to `action`."""
    return _site("who", "Who works?", "", "/", action=action, group=group)


def preview(world: World, group: str, worker: str, *, same_origin: bool) -> Response:
    """Return a HIT of the group as people see it before they accept it."""
    hit = workers.next_hit(world, group, worker)
    if hit is None:
        why = "Nothing in this group is open to you: it is done, over, or you have had your share."
        return said("No more of this", why, worker, 404)
    if not qualifications.allows(world, worker, hit.type, "preview"):
        return said("Not for you", "You need a qualification to preview this HIT.", worker)
    return _page(
        "frame",
        hit.type.title,
        worker=worker,
        reward=hit.type.reward,
        time=hit.type.duration,
        here=address("/mturk/preview", groupId=group, worker=worker),
        hit=hit.id,
        group=group,
        url=hits.framed(hit.url, {"assignmentId": NOT_YET, "hitId": hit.id}),
        same_origin=same_origin,
    )


def work(world: World, assignment_id: str, worker: str, *, same_origin: bool) -> Response:
    """Return the page with the work, or with its outcome."""
    one = world.assignments.get(assignment_id)
    if one is None or one.worker != worker:
        return said("Not yours", "You hold no such assignment.", worker, 404)
    if one.state != State.ACTIVE:
        return _over(world, one, same_origin)
    ids = {"assignmentId": one.id, "hitId": one.hit.id, "workerId": worker}
    left = int((one.deadline - world.now()).total_seconds())
    return _page(
        "frame",
        one.hit.type.title,
        worker=worker,
        reward=one.hit.type.reward,
        left=left,
        time=timedelta(seconds=left),
        here=address(f"/work/{one.id}", worker=worker),
        unit=one.id,
        url=hits.framed(one.hit.url, {**ids, "turkSubmitTo": world.url}),
        same_origin=same_origin,
        script="work.js",
    )


def _over(world: World, one: HitAssignment, same_origin: bool) -> Response:
    """Return the outcome of an assignment, and the way to the next one."""
    title, words = {
        State.RETURNED: (
            "Returned",
            "You returned this. Its place is free for others, and for you.",
        ),
        State.ABANDONED: (
            "Your time ran out",
            "The work was not handed in by the deadline, so its place is free again.",
        ),
    }.get(one.state, ("Submitted", "Your work was handed in. The requester decides about its pay."))
    group = one.hit.type.id
    again = workers.next_hit(world, group, one.worker)
    return _site(
        "over", title, one.worker, words=words, again=again, group=group, same_origin=same_origin
    )


def handed_in() -> Response:
    """Return the frame's page after submission; its script informs the surrounding page."""
    return _page("handed_in", "Handed in", script="handed_in.js")


def said(title: str, words: str, worker: str, status: int = 200) -> Response:
    """Return a page that explains something, with a link back."""
    return _page("layout", title, worker=worker, status=status, words=words, back=True)


def not_handed_in(words: str, status: int) -> Response:
    """Return a page that explains something inside a frame, without a link back."""
    return _page("layout", "Not handed in", status=status, words=words)


def earnings(world: World, worker: str) -> Response:
    """Return a worker's submissions, their outcomes and earnings."""
    own = [one for one in _newest_first(world) if one.worker == worker]
    bonuses = [one for one in reversed(world.bonuses) if one.worker == worker]

    def rewards(state: AssignmentState) -> Decimal:
        return sum((one.hit.type.reward for one in own if one.state == state), Decimal(0))

    return _site(
        "earnings",
        "Earnings",
        worker,
        "/earnings",
        approved=rewards(State.APPROVED),
        waiting=rewards(State.SUBMITTED),
        paid=sum((one.amount for one in bonuses), Decimal(0)),
        own=own,
        bonuses=bonuses,
        notices=[one for one in reversed(world.notices) if one.worker == worker],
    )


def requester(world: World, worker: str) -> Response:
    """Return HITs, assignments, bonuses, people and the balance, newest first."""
    granted = [one for one in world.qualifications.values() if one.granted]
    return _site(
        "requester",
        "Requester",
        worker,
        "/requester",
        world=world,
        hits=[(hit, hits.shown(world, hit)) for hit in reversed(world.hits.values())],
        every=_newest_first(world),
        held=[(one, world.qualification_types[one.type]) for one in granted],
    )


def _newest_first(world: World) -> list[HitAssignment]:
    every = [*world.assignments.values(), *world.earlier]
    return sorted(every, key=lambda one: one.accepted_at, reverse=True)


def address(path: str, **parameters: str) -> str:
    """Return an address; parameters without a value are left out."""
    given = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
