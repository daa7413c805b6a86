"""The site: finding work, previewing and doing it, earnings, and all that happened."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from xml.etree import ElementTree as ET

from extras.mturk_simulator import hits, qualifications, workers
from extras.mturk_simulator.hits import ANSWERS
from extras.mturk_simulator.markup import (
    Html,
    Response,
    address,
    escape,
    join,
    money,
    render,
    spell,
    table,
    tag,
    text,
    when,
)
from extras.mturk_simulator.world import (
    AssignmentState,
    BonusPayment,
    Hit,
    HitAssignment,
    HitType,
    World,
)

NOT_YET = "ASSIGNMENT_ID_NOT_AVAILABLE"
SANDBOX = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "frame-src http: https:; form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
)
HEADERS = (("Content-Security-Policy", CSP), ("Cache-Control", "no-store"))


# ---------------------------------------------------------------- pages


def home(world: World, worker: str) -> Response:
    """Return the list of work; without a worker, the question for a name."""
    if not worker:
        return who("/")
    found = workers.groups(world, worker)
    if not found:
        nothing = tag("p", "There is no work at the moment. Publish a HIT, then reload this page.")
        return site("HITs", nothing, worker, "/")
    items = join(_group(world, worker, kind, members) for kind, members in found)
    return site("HITs", tag("ul", items, class_="groups"), worker, "/")


def who(action: str, **fields: str) -> Response:
    """Return the question for a worker's name; the answer goes to `action`."""
    form = render("who", action=action, hidden=_hidden(fields))
    return site("Who works?", form, "", "/")


def preview(world: World, group: str, worker: str, *, same_origin: bool) -> Response:
    """Return a HIT of the group as people see it before they accept it."""
    hit = workers.next_hit(world, group, worker)
    if hit is None:
        why = "Nothing in this group is open to you: it is done, over, or you have had your share."
        return said("No more of this", why, worker, "404 Not Found")
    if not qualifications.allows(world, worker, hit.type, "preview"):
        return said("Not for you", "You need a qualification to preview this HIT.", worker)
    url = hits.framed(hit.url, {"assignmentId": NOT_YET, "hitId": hit.id})
    facts = [money(hit.type.reward), f"{spell(hit.type.duration)} allowed", "Preview"]
    here = address("/mturk/preview", groupId=group, worker=worker)
    actions = [
        _switch(here, same_origin),
        tag("a", "Back", href=address("/", worker=worker)),
        post("/accept", "Accept", hit=hit.id, worker=worker, **_kept(same_origin))
        if worker
        else tag(
            "a", "Choose a name to accept it", href=address("/who", groupId=group), class_="button"
        ),
    ]
    return framing(hit.type.title, facts, actions, url, same_origin=same_origin)


def work(world: World, assignment_id: str, worker: str, *, same_origin: bool) -> Response:
    """Return the page with the work, or with its outcome."""
    one = world.assignments.get(assignment_id)
    if one is None or one.worker != worker:
        return said("Not yours", "You hold no such assignment.", worker, "404 Not Found")
    if one.state != AssignmentState.ACTIVE:
        return _over(world, one, same_origin)
    ids = {"assignmentId": one.id, "hitId": one.hit.id, "workerId": worker}
    url = hits.framed(one.hit.url, {**ids, "turkSubmitTo": world.url})
    left = int((one.deadline - world.now()).total_seconds())
    remaining = tag("span", spell(timedelta(seconds=left)), data_left=left)
    facts = [money(one.hit.type.reward), join([remaining, " left"]), "Accepted"]
    actions = [
        _switch(address(f"/work/{one.id}", worker=worker), same_origin),
        post("/return", "Return", look="plain", assignment=one.id, worker=worker),
    ]
    script = Html('<script type="module" src="/assets/work.js"></script>\n')
    return framing(one.hit.type.title, facts, actions, url, same_origin=same_origin, head=script)


def earnings(world: World, worker: str) -> Response:
    """Return a worker's submissions, their outcomes and earnings."""
    every = [*world.assignments.values(), *world.earlier]
    own = [one for one in every if one.worker == worker]
    bonuses = [one for one in world.bonuses if one.worker == worker]
    approved = [one for one in own if one.state == AssignmentState.APPROVED]
    waiting = [one for one in own if one.state == AssignmentState.SUBMITTED]
    parts = [
        _totals(approved, waiting, sum((one.amount for one in bonuses), Decimal(0))),
        _assignments(own),
        table(
            "Bonuses",
            ("Amount", "For", "Reason", "When"),
            [_bonus(one) for one in reversed(bonuses)],
        ),
        table(
            "Messages",
            ("Subject", "Text", "When"),
            [
                (text(one.subject), text(one.text), when(one.at))
                for one in reversed(world.notices)
                if one.worker == worker
            ],
        ),
    ]
    return site("Earnings", join(parts), worker, "/earnings")


def handed_in() -> Response:
    """Return the frame's page after submission; its script informs the surrounding page."""
    script = Html('<script type="module" src="/assets/handed_in.js"></script>\n')
    return _page("Handed in", render("handed_in"), head=script)


# ---------------------------------------------------------------- parts


def site(title: str, content: Html, worker: str, current: str) -> Response:
    """Return a page of the site; `current` is its position among the links."""
    names = {"/": "HITs", "/earnings": "Earnings", "/requester": "Requester"}
    if not worker:
        names = {"/": "Worker", "/requester": names["/requester"]}
    links = join(_link(path, name, worker, path == current) for path, name in names.items())
    change = tag("a", "Change", href="/")
    who = join(["You are ", tag("strong", worker), Html("&nbsp;· "), change]) if worker else ""
    return _page(title, render("site", links=links, who=who, title=title, content=content))


def said(title: str, words: object, worker: str, status: str = "200 OK") -> Response:
    """Return a page that explains something, with a link back."""
    back = tag("a", "Back to the list", href=address("/", worker=worker), class_="button plain")
    return explained(title, join([tag("p", words), tag("p", back)]), status)


def explained(title: str, content: Html, status: str) -> Response:
    """Return a page that explains something inside a frame, without a link back."""
    return _page(title, tag("main", join([tag("h1", title), content])), status=status)


def framing(
    title: str,
    facts: Sequence[object],
    actions: Sequence[object],
    url: str,
    *,
    same_origin: bool,
    head: Html | str = "",
) -> Response:
    """Return a page that frames the requester's page under a thin bar."""
    rights = f"{SANDBOX} allow-same-origin" if same_origin else SANDBOX
    frame = tag("iframe", "", src=url, title="The requester’s page", sandbox=rights)
    items = join(tag("li", fact) for fact in facts)
    bar = render("bar", title=title, facts=items, actions=join(actions), frame=frame)
    return _page(title, bar, head=head, look="framing")


def _page(
    title: str, content: Html, *, head: Html | str = "", look: str = "", status: str = "200 OK"
) -> Response:
    body = render("layout", title=title, head=Html(head), content=content, look=look)
    return Response(status=status, body=body.encode(), headers=HEADERS)


def _group(world: World, worker: str, kind: HitType, members: list[Hit]) -> Html:
    here = address("/mturk/preview", groupId=kind.group, worker=worker)
    action: object = tag("a", "Preview and accept", href=here, class_="button")
    if not members:
        action = "You have had all of these, or lack a qualification for them."
    until = max((hit.expires_at for hit in members), default=None)
    return render(
        "group",
        title=kind.title,
        description=kind.description,
        reward=money(kind.reward),
        open=f"{len(members)} HIT{'' if len(members) == 1 else 's'}",
        duration=spell(kind.duration),
        until=when(until),
        action=action,
    )


def _over(world: World, one: HitAssignment, same_origin: bool) -> Response:
    """Return the outcome of an assignment, and the way to the next one."""
    titles = {AssignmentState.RETURNED: "Returned", AssignmentState.ABANDONED: "Your time ran out"}
    words = {
        AssignmentState.RETURNED: "You returned this. Its place is free for others, and for you.",
        AssignmentState.ABANDONED: (
            "The work was not handed in by the deadline, so its place is free again."
        ),
    }
    title = titles.get(one.state, "Submitted")
    became = words.get(one.state, "Your work was handed in. The requester decides about its pay.")
    again = workers.next_hit(world, one.hit.type.id, one.worker)
    group = one.hit.type.id
    buttons = [
        post(
            "/accept",
            "Accept the next one in this group",
            group=group,
            worker=one.worker,
            **_kept(same_origin),
        )
        if again
        else tag("p", "There are no more in this group."),
        tag("a", "Back to the list", href=address("/", worker=one.worker), class_="button plain"),
    ]
    content = join([tag("p", became), tag("div", join(buttons), class_="buttons")])
    return site(title, content, one.worker, "")


def _totals(approved: list[HitAssignment], waiting: list[HitAssignment], bonuses: Decimal) -> Html:
    sums = {
        "Approved": sum((one.hit.type.reward for one in approved), Decimal(0)),
        "Waiting for the requester": sum((one.hit.type.reward for one in waiting), Decimal(0)),
        "Bonuses": bonuses,
    }
    pairs = (
        tag("div", join([tag("dt", name), tag("dd", money(amount))]))
        for name, amount in sums.items()
    )
    return tag("dl", join(pairs))


def _assignments(own: list[HitAssignment]) -> Html:
    heads = ("HIT", "State", "Reward", "Handed in", "What the requester says")
    newest_first = sorted(own, key=lambda one: one.accepted_at, reverse=True)
    return table("Assignments", heads, [_earned(one) for one in newest_first])


def _bonus(one: BonusPayment) -> tuple[object, ...]:
    title = one.assignment.hit.type.title
    return money(one.amount), text(title), text(one.reason), when(one.at)


def _earned(one: HitAssignment) -> tuple[object, ...]:
    state = {AssignmentState.SUBMITTED: "Waiting", AssignmentState.ACTIVE: "At work"}.get(
        one.state, one.state.value
    )
    here = address(f"/work/{one.id}", worker=one.worker)
    title = one.hit.type.title
    shown = tag("a", title, href=here) if one.state == AssignmentState.ACTIVE else title
    reward, feedback = money(one.hit.type.reward), text(one.feedback)
    return text(shown), state, reward, when(one.submitted_at), feedback


def _link(path: str, name: str, worker: str, current: bool) -> Html:
    here = {"aria_current": "page"} if current else {}
    return tag("a", name, href=address(path, worker=worker), **here)


def _switch(here: str, same_origin: bool) -> Html:
    """Return a link that gives the framed page an origin of its own, or removes it."""
    if same_origin:
        return tag("a", "Frame it more strictly", href=f"{here}&same_origin=no")
    return tag("a", "Frame it as usual", href=here)


def _kept(same_origin: bool) -> dict[str, str]:
    return {} if same_origin else {"same_origin": "no"}


def post(action: str, label: str, *, look: str = "", **fields: str) -> Html:
    """Return a button that posts these fields."""
    return render("post", action=action, fields=_hidden(fields), label=label, look=look)


def _hidden(fields: Mapping[str, str]) -> Html:
    return join(
        Html(f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">')
        for name, value in fields.items()
    )


# ---------------------------------------------------------------- words


def requester(world: World, worker: str) -> Response:
    """Return HITs, assignments, bonuses, people and the balance, newest first."""
    parts = [
        _balance(world),
        _hits(world),
        _all_assignments(world),
        _bonuses(world),
        *_people(world),
    ]
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


def _all_assignments(world: World) -> Html:
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
        table("Messages", ("Worker", "Subject", "Text", "When"), notices),
    ]
