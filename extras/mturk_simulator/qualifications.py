"""Qualification types, their holders, and whether a worker meets a HIT's requirements."""

from collections.abc import Mapping
from typing import Any

from extras.mturk_simulator import checks
from extras.mturk_simulator.checks import page
from extras.mturk_simulator.world import (
    HitType,
    Qualification,
    QualificationType,
    RequestRefused,
    World,
)

Args = Mapping[str, Any]
Reply = dict[str, Any]
# What a requirement guards, in addition to accepting.
GUARDS = {
    "Accept": (),
    "PreviewAndAccept": ("preview",),
    "DiscoverPreviewAndAccept": ("preview", "discover"),
}


def create_type(world: World, args: Args) -> Reply:
    if any(known.name == args["Name"] for known in world.qualification_types.values()):
        raise RequestRefused(
            "QualificationTypeAlreadyExists",
            f"There is a qualification type named {args['Name']} already.",
        )
    made = QualificationType(world.new_id(), world.serial(), args["Name"], world.now(), {**args})
    world.qualification_types[made.id] = made
    return {"QualificationType": _shown_type(made)}


def list_types(world: World, args: Args) -> Reply:
    """List only the requester's own types; the system's types are not listed."""
    rows, about = page(args, world.qualification_types.values(), lambda one: one.serial)
    return {"QualificationTypes": [_shown_type(one) for one in rows], **about}


def associate(world: World, args: Args) -> Reply:
    kind = world.qualification_type(args["QualificationTypeId"])
    worker = args["WorkerId"]
    value = args.get("IntegerValue", 1)
    world.qualifications[kind.id, worker] = Qualification(
        kind.id, worker, world.serial(), world.now(), value
    )
    return {}


def disassociate(world: World, args: Args) -> Reply:
    held = _held(world, args)
    if not held.granted:
        raise RequestRefused(
            "InvalidQualificationState", "This qualification has already been revoked."
        )
    held.granted = False
    return {}


def allows(world: World, worker: str, kind: HitType, action: str) -> bool:
    """Return whether a worker may "discover", "preview" or "accept" HITs of this type."""
    return all(_meets(world, worker, one) for one in kind.requirements if _guards(one, action))


def _guards(requirement: Mapping[str, Any], action: str) -> bool:
    guarded = GUARDS[requirement.get("ActionsGuarded", "Accept")]
    return action == "accept" or action in guarded


def _meets(world: World, worker: str, requirement: Mapping[str, Any]) -> bool:
    name, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    if comparator == "In":
        places = [place["Country"] for place in requirement["LocaleValues"]]
        return world.profile(worker).country in places
    held = world.qualifications.get((name, worker))
    if comparator == "DoesNotExist":
        return held is None or not held.granted
    profile = world.profile(worker)
    values = {checks.APPROVAL_RATE: profile.approval_rate, checks.APPROVED: profile.approved}
    value = values.get(name, held.value if held and held.granted else None)
    return value is not None and bool(value >= requirement["IntegerValues"][0])


def _held(world: World, args: Args) -> Qualification:
    kind = world.qualification_type(args["QualificationTypeId"])
    if held := world.qualifications.get((kind.id, args["WorkerId"])):
        return held
    message = f"Worker {args['WorkerId']} has no qualification of type {kind.id}."
    raise RequestRefused("QualificationDoesNotExist", message)


def _shown_type(one: QualificationType) -> Reply:
    return {
        "AutoGranted": False,
        **one.given,
        "QualificationTypeId": one.id,
        "CreationTime": one.created_at.timestamp(),
        "IsRequestable": one.given.get("QualificationTypeStatus") == "Active",
    }
