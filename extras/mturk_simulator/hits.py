"""Operations on HITs and HIT types, and the XML documents of question and answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit
from xml.etree import ElementTree as ET

from extras.mturk_simulator import checks
from extras.mturk_simulator.checks import page
from extras.mturk_simulator.world import (
    HANDED_IN,
    MANY,
    MISSING,
    OUT_OF_RANGE,
    AssignmentState,
    Hit,
    HitType,
    RequestRefused,
    World,
)

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
QUESTION = SCHEMAS + "2006-07-14/ExternalQuestion.xsd"
ANSWERS = SCHEMAS + "2005-10-01/QuestionFormAnswers.xsd"
BYTES_AT_MOST = 65_535
# Amazon accepts only https; local addresses are allowed here for trials.
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def external_url(question: str) -> str:
    """Return the address in an ExternalQuestion; refuses invalid documents."""
    if len(question.encode()) > BYTES_AT_MOST:
        raise RequestRefused(OUT_OF_RANGE, f"Question is larger than {BYTES_AT_MOST} bytes.")
    root = _parse(question)
    names = [child.tag for child in root]
    wanted = [f"{{{QUESTION}}}ExternalURL", f"{{{QUESTION}}}FrameHeight"]
    if root.tag != f"{{{QUESTION}}}ExternalQuestion" or names != wanted:
        message = "This stand-in takes an ExternalQuestion with ExternalURL and FrameHeight only."
        raise RequestRefused("XMLParseError", message)
    url, height = ((child.text or "").strip() for child in root)
    if not height.isascii() or not height.isdigit():
        raise RequestRefused("XMLParseError", "FrameHeight is not a number.")
    _check_url(url)
    return url


def _parse(text: str) -> ET.Element:
    if "<!DOCTYPE" in text:
        raise RequestRefused("XMLParseError", "Question must not declare a document type.")
    try:
        return ET.fromstring(text)  # noqa: S314 without a document type there are no entities
    except ET.ParseError as error:
        raise RequestRefused("XMLParseError", f"Question is not well-formed XML: {error}")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise RequestRefused("InvalidParameterValue", "ExternalURL is not an address.")
    local = parts.scheme == "http" and parts.hostname in LOCAL_HOSTS
    if not parts.hostname or not (parts.scheme == "https" or local):
        raise RequestRefused("InvalidParameterValue", "ExternalURL must begin with https://")


def framed(url: str, parameters: Mapping[str, str]) -> str:
    """Return the address with our parameters after its own."""
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, urlencode(parameters)]))
    return urlunsplit(parts._replace(query=query))


def answers(fields: Mapping[str, Sequence[str]]) -> str:
    """Return the QuestionFormAnswers document of a form's fields."""
    root = ET.Element("QuestionFormAnswers", xmlns=ANSWERS)
    for name, values in fields.items():
        answer = ET.SubElement(root, "Answer")
        ET.SubElement(answer, "QuestionIdentifier").text = _printable(name)
        ET.SubElement(answer, "FreeText").text = _printable("|".join(values))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _printable(text: str) -> str:
    """Leave out characters that XML cannot hold."""
    return "".join(sign for sign in text if sign in "\t\n\r" or _in_xml(ord(sign)))


def _in_xml(point: int) -> bool:
    return 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point >= 0x10000


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


def update_expiration(world: World, args: Args) -> Reply:
    """Change the expiry. A time in the past ends the HIT at once; a later one revives it."""
    hit = _not_disposed(world, args["HITId"])
    at = datetime.fromtimestamp(args["ExpireAt"], UTC)
    if at > world.now() + timedelta(days=365):
        raise RequestRefused("InvalidParameterValue", "ExpireAt lies more than a year ahead.")
    hit.expires_at = max(at, hit.created_at)
    return {}


def add_places(world: World, args: Args) -> Reply:
    token = args.get("UniqueRequestToken", "")
    world.look_for("places", token)
    hit = _not_disposed(world, args["HITId"])
    places = hit.places + args["NumberOfAdditionalAssignments"]
    if hit.at_first < MANY <= places:
        message = f"A HIT made with fewer than {MANY} assignments cannot get {MANY} or more."
        raise RequestRefused("InvalidMaximumAssignmentsIncrease", message)
    hit.places = places
    world.remember("places", token, world.new_id())
    return {}


def delete_hit(world: World, args: Args) -> Reply:
    hit = _not_disposed(world, args["HITId"])
    if status(world, hit) != "Reviewable":
        raise RequestRefused(
            "InvalidHITState", f"Only a Reviewable HIT can be deleted: {status(world, hit)}."
        )
    if any(one.state == AssignmentState.SUBMITTED for one in world.of_hit(hit)):
        raise RequestRefused(
            "InvalidHITState", "Some assignments are neither approved nor rejected."
        )
    hit.disposed = True
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
    """Return HITStatus, which follows from the assignments."""
    if hit.disposed:
        return "Disposed"
    if hit.expires_at > world.now() and available(world, hit) > 0:
        return "Assignable"
    if pending(world, hit):
        return "Unassignable"
    return "Reviewable"


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
            raise RequestRefused("NotOfferedByStandIn", f"This stand-in does not know {name}.")
    if "Question" not in args:
        raise RequestRefused(MISSING, "Question is missing.")
    url = external_url(args["Question"])
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
        raise RequestRefused("InvalidHITState", f"HIT {hit_id} has been deleted.")
    return hit
