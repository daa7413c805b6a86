"""What a worker does: accept, return, submit. Callers hold no lock."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from extras.mturk_simulator import hits, qualifications
from extras.mturk_simulator.world import (
    GIVEN_UP,
    HANDED_IN,
    AssignmentState,
    Hit,
    HitAssignment,
    HitType,
    World,
)

SHAPE = re.compile(r"A[A-Z0-9]{1,63}")


class CannotDo(Exception):
    """Why a worker cannot do this now, in words for the worker."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def worker_id(text: str) -> str:
    """Return the worker id for any name; a name that is an id is returned unchanged."""
    if SHAPE.fullmatch(text):
        return text
    letters = re.sub(r"[^A-Z0-9]", "", text.upper())[:20]
    return f"A{letters}{hashlib.sha256(text.encode()).hexdigest()[:8].upper()}"


def accept(world: World, hit_id: str, worker: str) -> HitAssignment:
    """Give the worker a place of this HIT until the deadline."""
    with world.lock:
        world.settle()
        hit = world.hits.get(hit_id)
        if hit is None:
            raise CannotDo("There is no such HIT.", 404)
        if reason := obstacle(world, hit, worker):
            raise CannotDo(reason)
        now = world.now()
        one = HitAssignment(_free_id(world, hit), hit, worker, now, now + hit.type.duration)
        world.assignments[one.id] = one
        return one


def obstacle(world: World, hit: Hit, worker: str) -> str:
    """Return why a worker cannot accept a HIT; "" if they can."""
    if not SHAPE.fullmatch(worker):
        return "A worker id begins with A; capitals and digits follow."
    if not qualifications.allows(world, worker, hit.type, "accept"):
        return "You do not meet the requirements of this HIT."
    if any(one.worker == worker and one.state not in GIVEN_UP for one in world.of_hit(hit)):
        return "You have this HIT already, or have handed it in."
    if hits.status(world, hit) != "Assignable":
        return "This HIT can no longer be accepted: it is full, over or deleted."
    return ""


def give_back(world: World, assignment_id: str) -> HitAssignment:
    """Return an accepted assignment, so that its place is free for others."""
    with world.lock:
        world.settle()
        one = _known(world, assignment_id)
        if one.state != AssignmentState.ACTIVE:
            raise CannotDo(f"This assignment is not yours to return: it is {one.state.lower()}.")
        one.state = AssignmentState.RETURNED
        return one


def submit(world: World, assignment_id: str, fields: Mapping[str, Sequence[str]]) -> HitAssignment:
    """Submit an assignment with the fields of a form. Repeating changes nothing."""
    with world.lock:
        world.settle()
        one = _known(world, assignment_id)
        if one.state in HANDED_IN:
            return one
        if one.state in GIVEN_UP:
            why = "you returned it" if one.state == AssignmentState.RETURNED else "its time ran out"
            raise CannotDo(f"This assignment cannot be handed in any more: {why}.")
        if not fields:
            raise CannotDo("The form had no field besides assignmentId.", 400)
        now = world.now()
        one.answer = hits.answers(fields)
        one.state, one.submitted_at, one.serial = AssignmentState.SUBMITTED, now, world.serial()
        one.auto_approval_at = now + one.hit.type.auto_approval
        return one


def groups(world: World, worker: str) -> list[tuple[HitType, list[Hit]]]:
    """Return the groups that a worker finds, with the HITs that they could accept."""
    found: dict[str, tuple[HitType, list[Hit]]] = {}
    for hit in world.hits.values():
        if qualifications.allows(world, worker, hit.type, "discover") and (
            hits.status(world, hit) == "Assignable"
        ):
            _, members = found.setdefault(hit.type.id, (hit.type, []))
            if not worker or not obstacle(world, hit, worker):
                members.append(hit)
    return list(found.values())


def next_hit(world: World, group: str, worker: str) -> Hit | None:
    """Return a HIT of a group (named by its group or type id) that a worker can accept."""
    for kind, members in groups(world, worker):
        if group in (kind.group, kind.id) and members:
            return members[0]
    return None


def _known(world: World, assignment_id: str) -> HitAssignment:
    if one := world.assignments.get(assignment_id):
        return one
    raise CannotDo("There is no such assignment here.", 404)


def _free_id(world: World, hit: Hit) -> str:
    """Return a new id, or a returned one if ids are used again."""
    if world.reuse_ids:
        for one in world.of_hit(hit):
            if one.state == AssignmentState.RETURNED:
                world.earlier.append(one)
                return one.id
    return world.new_id()
