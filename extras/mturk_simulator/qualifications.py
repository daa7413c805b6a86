"""Qualification types, their holders, and whether a worker meets a HIT's requirements."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from extras.mturk_simulator import checks
from extras.mturk_simulator.checks import page
from extras.mturk_simulator.world import (
    INVALID,
    QUALIFICATION_STATE,
    QUALIFICATION_UNKNOWN,
    TYPE_EXISTS,
    HitType,
    Qualification,
    QualificationType,
    RequestRefused,
    World,
)

Args = Mapping[str, Any]
Reply = dict[str, Any]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}
# What a requirement guards, in addition to accepting.
GUARDS = {
    "Accept": (),
    "PreviewAndAccept": ("preview",),
    "DiscoverPreviewAndAccept": ("preview", "discover"),
}


def create_type(world: World, args: Args) -> Reply:
    if any(known.name == args["Name"] for known in world.qualification_types.values()):
        raise RequestRefused(
            TYPE_EXISTS, f"There is a qualification type named {args['Name']} already."
        )
    _check_test(args)
    made = QualificationType(world.new_id(), world.serial(), args["Name"], world.now(), {**args})
    world.qualification_types[made.id] = made
    return {"QualificationType": _shown_type(made)}


def list_types(world: World, args: Args) -> Reply:
    """List only the requester's own types; the system's types are not listed."""
    words = args.get("Query", "").lower()
    found = [one for one in world.qualification_types.values() if words in _searchable(one)]
    rows, about = page(args, found, lambda one: one.serial)
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
        raise RequestRefused(QUALIFICATION_STATE, "This qualification has already been revoked.")
    held.granted = False
    return {}


def list_workers(world: World, args: Args) -> Reply:
    kind = world.qualification_type(args["QualificationTypeId"])
    granted = args.get("Status", "Granted") == "Granted"
    every = world.qualifications.values()
    found = [one for one in every if one.type == kind.id and one.granted == granted]
    rows, about = page(args, found, lambda one: one.serial)
    return {"Qualifications": [_shown(one) for one in rows], **about}


def allows(world: World, worker: str, kind: HitType, action: str) -> bool:
    """Return whether a worker may "discover", "preview" or "accept" HITs of this type."""
    return all(_meets(world, worker, one) for one in kind.requirements if _guards(one, action))


def _guards(requirement: Mapping[str, Any], action: str) -> bool:
    guarded = GUARDS[requirement.get("ActionsGuarded", "Accept")]
    return action == "accept" or action in guarded


def _meets(world: World, worker: str, requirement: Mapping[str, Any]) -> bool:
    value = _value(world, worker, requirement["QualificationTypeId"])
    comparator = requirement["Comparator"]
    if comparator in checks.PRESENCE:
        return bool((value is not None) == (comparator == "Exists"))
    wanted = requirement.get("IntegerValues") or [
        place["Country"] for place in requirement.get("LocaleValues", [])
    ]
    if comparator in checks.SETS:
        return bool((value in wanted) == (comparator == "In"))
    return value is not None and bool(COMPARE[comparator](value, wanted[0]))


def _value(world: World, worker: str, kind: str) -> int | str | None:
    profile = world.profile(worker)
    known: dict[str, int | str | None] = {
        checks.COUNTRY: profile.country,
        checks.APPROVAL_RATE: profile.approval_rate,
        checks.APPROVED: profile.approved,
        checks.ADULT: 1 if profile.adult else None,
        **dict.fromkeys(checks.MASTERS, 1 if profile.masters else None),
    }
    if kind in known:
        return known[kind]
    held = world.qualifications.get((kind, worker))
    return held.value if held and held.granted else None


def _held(world: World, args: Args) -> Qualification:
    kind = world.qualification_type(args["QualificationTypeId"])
    if held := world.qualifications.get((kind.id, args["WorkerId"])):
        return held
    message = f"Worker {args['WorkerId']} has no qualification of type {kind.id}."
    raise RequestRefused(QUALIFICATION_UNKNOWN, message)


def _check_test(given: Args) -> None:
    if "Test" in given and given.get("AutoGranted"):
        raise RequestRefused(INVALID, "A type with a test cannot be granted automatically.")
    if ("Test" in given) != ("TestDurationInSeconds" in given):
        raise RequestRefused(INVALID, "Test and TestDurationInSeconds come together.")


def _searchable(one: QualificationType) -> str:
    return " ".join(one.given.get(name, "") for name in ("Name", "Description", "Keywords")).lower()


def _shown_type(one: QualificationType) -> Reply:
    return {
        "AutoGranted": False,
        **one.given,
        "QualificationTypeId": one.id,
        "CreationTime": one.created_at.timestamp(),
        "IsRequestable": one.given.get("QualificationTypeStatus") == "Active",
    }


def _shown(one: Qualification) -> Reply:
    return {
        "QualificationTypeId": one.type,
        "WorkerId": one.worker,
        "GrantTime": one.at.timestamp(),
        "IntegerValue": one.value,
        "Status": "Granted" if one.granted else "Revoked",
    }
