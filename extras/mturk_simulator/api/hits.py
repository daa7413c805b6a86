"""Operations on HITs and HIT types."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from extras.mturk_simulator.api import checks, question
from extras.mturk_simulator.api.paging import page
from extras.mturk_simulator.state.errors import (
    HIT_STATE,
    INVALID,
    MISSING,
    NOT_OFFERED,
    TOO_MANY_PLACES,
    RequestRefused,
)
from extras.mturk_simulator.state.money import MANY
from extras.mturk_simulator.state.records import HANDED_IN, AssignmentState, Hit, HitType
from extras.mturk_simulator.state.world import World

Args = Mapping[str, Any]
Reply = dict[str, Any]
AUTO_APPROVAL = 30 * checks.DAY  # where a request sets none
NOT_HERE = ("HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy")


def create_hit_type(world: World, args: Args) -> Reply:
    return {"HITTypeId": _type_of(world, args).id}


def create_hit(world: World, args: Args) -> Reply:
    return _create(world, args, lambda: _type_of(world, args))


def create_hit_with_hit_type(world: World, args: Args) -> Reply:
    return _create(world, args, lambda: world.hit_type(args["HITTypeId"]))


def get_hit(world: World, args: Args) -> Reply:
    return {"HIT": shown(world, world.hit(args["HITId"]))}


def list_hits(world: World, args: Args) -> Reply:
    return _listed(world, args, (hit for hit in world.hits.values() if not hit.disposed))


def list_reviewable_hits(world: World, args: Args) -> Reply:
    wanted = args.get("Status", "Reviewable")
    kind = args.get("HITTypeId")
    hits = (hit for hit in world.hits.values() if kind in (None, hit.type.id))
    return _listed(world, args, (hit for hit in hits if status(world, hit) == wanted))


def update_expiration(world: World, args: Args) -> Reply:
    """Change the expiry. A time in the past ends the HIT at once; a later one revives it."""
    hit = _not_disposed(world, args["HITId"])
    at = datetime.fromtimestamp(args["ExpireAt"], UTC)
    if at > world.now() + timedelta(days=365):
        raise RequestRefused(INVALID, "ExpireAt lies more than a year ahead.")
    hit.expires_at = max(at, hit.created_at)
    hit.reviewing = hit.reviewing and status(world, hit) == "Reviewing"
    return {}


def add_places(world: World, args: Args) -> Reply:
    token = args.get("UniqueRequestToken", "")
    world.look_for("places", token)
    hit = _not_disposed(world, args["HITId"])
    places = hit.places + args["NumberOfAdditionalAssignments"]
    if hit.at_first < MANY <= places:
        message = f"A HIT made with fewer than {MANY} assignments cannot get {MANY} or more."
        raise RequestRefused(TOO_MANY_PLACES, message)
    hit.places = places
    hit.reviewing = hit.reviewing and status(world, hit) == "Reviewing"
    world.remember("places", token, world.new_id())
    return {}


def delete_hit(world: World, args: Args) -> Reply:
    hit = _not_disposed(world, args["HITId"])
    if status(world, hit) != "Reviewable":
        raise RequestRefused(
            HIT_STATE, f"Only a Reviewable HIT can be deleted: {status(world, hit)}."
        )
    if any(one.state == AssignmentState.SUBMITTED for one in world.of_hit(hit)):
        raise RequestRefused(HIT_STATE, "Some assignments are neither approved nor rejected.")
    hit.disposed = True
    return {}


def update_review_status(world: World, args: Args) -> Reply:
    hit = _not_disposed(world, args["HITId"])
    revert = args.get("Revert", False)
    needed = "Reviewing" if revert else "Reviewable"
    if status(world, hit) != needed:
        raise RequestRefused(HIT_STATE, f"The HIT is {status(world, hit)}, not {needed}.")
    hit.reviewing = not revert
    return {}


# ---------------------------------------------------------------- how a HIT stands


def pending(world: World, hit: Hit) -> int:
    return sum(one.state == AssignmentState.ACTIVE for one in world.of_hit(hit))


def available(world: World, hit: Hit) -> int:
    taken = sum(
        one.state == AssignmentState.ACTIVE or one.state in HANDED_IN for one in world.of_hit(hit)
    )
    return hit.places - taken


def status(world: World, hit: Hit) -> str:
    """Return HITStatus. Except for the reviewer's mark, it follows from the assignments."""
    if hit.disposed:
        return "Disposed"
    if hit.expires_at > world.now() and available(world, hit) > 0:
        return "Assignable"
    if pending(world, hit):
        return "Unassignable"
    return "Reviewing" if hit.reviewing else "Reviewable"


def shown(world: World, hit: Hit) -> Reply:
    """Return a HIT as the API shows it."""
    states = [one.state for one in world.of_hit(hit)]
    kind = hit.type
    optional = {"RequesterAnnotation": hit.annotation, "Keywords": kind.keywords}
    return {
        "HITId": hit.id,
        "HITTypeId": kind.id,
        "HITGroupId": kind.group,
        "CreationTime": hit.created_at.timestamp(),
        "Title": kind.title,
        "Description": kind.description,
        "Question": hit.question,
        "HITStatus": status(world, hit),
        "MaxAssignments": hit.places,
        "Reward": f"{kind.reward:.2f}",
        "AutoApprovalDelayInSeconds": int(kind.auto_approval.total_seconds()),
        "Expiration": hit.expires_at.timestamp(),
        "AssignmentDurationInSeconds": int(kind.duration.total_seconds()),
        "QualificationRequirements": list(kind.requirements),
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": states.count(AssignmentState.ACTIVE),
        "NumberOfAssignmentsAvailable": available(world, hit),
        "NumberOfAssignmentsCompleted": states.count(AssignmentState.APPROVED)
        + states.count(AssignmentState.REJECTED),
        **{name: value for name, value in optional.items() if value},
    }


# ---------------------------------------------------------------- making


def _type_of(world: World, args: Args) -> HitType:
    """Return the HIT type with these properties, an existing one if there is one."""
    asked = args.get("QualificationRequirements", [])
    checks.requirements(asked, world.qualification_types)
    properties: dict[str, Any] = {
        "title": args["Title"],
        "description": args["Description"],
        "keywords": args.get("Keywords", ""),
        "reward": Decimal(args["Reward"]),
        "duration": timedelta(seconds=args["AssignmentDurationInSeconds"]),
        "auto_approval": timedelta(seconds=args.get("AutoApprovalDelayInSeconds", AUTO_APPROVAL)),
        "requirements": tuple(asked),
    }
    for known in world.hit_types.values():
        if all(getattr(known, name) == value for name, value in properties.items()):
            return known
    made = HitType(id=world.new_id(), group=world.new_id(), **properties)
    world.hit_types[made.id] = made
    return made


def _create(world: World, args: Args, kind: Any) -> Reply:
    for name in NOT_HERE:
        if name in args:
            raise RequestRefused(NOT_OFFERED, f"This stand-in does not know {name}.")
    if "Question" not in args:
        raise RequestRefused(MISSING, "Question is missing.")
    url = question.external_url(args["Question"])
    token = args.get("UniqueRequestToken", "")
    world.look_for("hit", token)
    hit = _made(world, args, kind(), url)
    world.hits[hit.id] = hit
    world.remember("hit", token, hit.id)
    return {"HIT": shown(world, hit)}


def _made(world: World, args: Args, kind: HitType, url: str) -> Hit:
    now = world.now()
    places = args.get("MaxAssignments", 1)
    return Hit(
        id=world.new_id(),
        type=kind,
        serial=world.serial(),
        question=args["Question"],
        url=url,
        annotation=args.get("RequesterAnnotation", ""),
        created_at=now,
        expires_at=now + timedelta(seconds=args["LifetimeInSeconds"]),
        places=places,
        at_first=places,
    )


def _listed(world: World, args: Args, hits: Iterable[Hit]) -> Reply:
    rows, about = page(args, hits, lambda hit: hit.serial, newest_first=True)
    return {"HITs": [shown(world, hit) for hit in rows], **about}


def _not_disposed(world: World, hit_id: str) -> Hit:
    hit = world.hit(hit_id)
    if hit.disposed:
        raise RequestRefused(HIT_STATE, f"HIT {hit_id} has been deleted.")
    return hit
