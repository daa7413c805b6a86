"""No body breaks any address: JSON that is none, JSON of other types than were asked for."""

import json
from itertools import count
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.addresses import DOORS, Door, World
from tests.hostile.samples import BODIES, mutations
from tests.hostile.trying import Tries, address, bearer
from tests.hostile.values import JSON_BODIES, SCALARS, TEXTS

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

BY_NAME = {door.name: door for door in DOORS}
THIRD = 3  # each address, and each part of a body, gets a third of the values, in turn
LONGEST = 20_000  # of a text in a body: what is longer is tried once, as a whole body


def headers(world: World, door: Door, *, of_workers: bool) -> dict[str, Any]:
    return bearer(world) if of_workers and not door.name.startswith("api-") else {}


def methods(door: Door) -> tuple[str, ...]:
    others = {"annotate:work-draft": ("put", "post"), "api-campaign-detail": ("patch",)}
    others |= {"api-screens": ("patch",), "api-texts": ("patch",)}
    return others.get(door.name, ("post",))


@pytest.mark.hostile
def test_no_raw_body_breaks_any_address(tries: Tries, world: World) -> None:
    bodies = list(JSON_BODIES.items())
    for number, door in enumerate(DOORS):
        path = address(world, door)
        for name, raw in bodies[number % THIRD :: THIRD]:
            for method in {"post", *(door.methods & {"put", "patch"}), *methods(door)}:
                tries.send(
                    f"{door} {name}",
                    method,
                    path,
                    raw,
                    content_type="application/json",
                    headers=headers(world, door, of_workers=True),
                )
    assert not tries.unkind, tries.told()


@pytest.mark.hostile
def test_no_value_in_a_body_breaks_any_address(owner: Tries, world: World) -> None:
    short = {name: text for name, text in TEXTS.items() if len(text) < LONGEST}
    every, part = list((SCALARS | short).items()), count()

    def values() -> dict[str, Any]:
        return dict(every[next(part) % THIRD :: THIRD])

    for name, sample in BODIES.items():
        door = BY_NAME[name]
        for what, body in mutations(sample(world), values):
            raw = json.dumps(body)
            for method in methods(door):
                owner.send(
                    f"{door} {what}",
                    method,
                    address(world, door),
                    raw,
                    content_type="application/json",
                    headers=headers(world, door, of_workers=True),
                )
    assert owner.n > 1000
    assert not owner.unkind, owner.told()


@pytest.mark.slow
def test_each_sample_is_right_but_for_what_is_made_wrong(owner: Tries, world: World) -> None:
    """Or the values would be refused before anything looks at them."""
    # Not their bodies but the state of the world is what is not right here.
    state = {
        "annotate:appeal",
        "annotate:tutorial-answer",
        "annotate:crowd-events",
        "annotate:work-correct",
        "api-review-dismiss",
        "api-payout-undo",
        "api-batches",
        "api-batch-extend",
        "api-operation-decide",
        "api-budget",  # the campaign has none
        "api-expert-release",  # it names no experts
        "api-fee",
        "api-doubtful-pay",
        # The campaign is open, where gold is fixed.
        "api-gold",
        "api-gold-confirm",
        "api-gold-remove",
    }
    refused = {}
    for name, sample in BODIES.items():
        door = BY_NAME[name]
        got = owner.send(
            name,
            methods(door)[0],
            address(world, door),
            json.dumps(sample(world)),
            content_type="application/json",
            headers=headers(world, door, of_workers=True),
        )
        if got >= 300 and name not in state:
            refused[name] = owner.said
    assert refused == {}


def test_there_is_a_sample_for_every_address_that_takes_json(db: None) -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    takers = {
        path
        for path, of_path in schema["paths"].items()
        for operation in of_path.values()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    known = {BY_NAME[name].route.replace("%(", "{").replace(")s", "}") for name in BODIES}
    assert takers - known == set()
    workers = {door.name for door in DOORS if door.route.startswith("/work/") and is_endpoint(door)}
    assert workers - set(BODIES) == set()


def is_endpoint(door: Door) -> bool:
    return not door.route.endswith("/")
