"""No form breaks any page, whatever is typed into any of its fields."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.addresses import DOORS, World
from tests.annotate.researcher import lines
from tests.hostile.samples import FORMS
from tests.hostile.trying import Tries, address
from tests.hostile.values import RAW

pytestmark = [pytest.mark.hostile, pytest.mark.orm, pytest.mark.django_db]

FORM = "application/x-www-form-urlencoded"
BY_NAME = {door.name: door for door in DOORS}


def test_no_field_breaks_any_page(tries: Tries, world: World) -> None:
    seen = set()
    for door in DOORS:
        path = address(world, door)
        sample = FORMS.get(door.name, lambda _world: {})(world)
        for field in sorted({*sample, *tries.read("post", path, sample)}):
            seen.add(field)
            for name, text in tries.of_field().items():
                tries.send(f"{door} {field}={name}", "post", path, sample | {field: text})
    assert {"name", "username", "password"} <= seen
    assert not tries.unkind, tries.told()


def test_no_raw_form_breaks_any_page(tries: Tries, world: World) -> None:
    for door in DOORS:
        for raw in (*RAW, "a=1&" * 2000, "name=%00", "\0", "name=" + "x" * 3_000_000):
            tries.send(f"{door} {raw[:20]!r}", "post", address(world, door), raw, content_type=FORM)
        for raw in (
            b"",
            b"--x",
            b"--x\r\n\r\n--x--",
            b"--x\r\nContent-Disposition: form-data; "
            b'name="name"; filename="a\0\xff"\r\n\r\na\0\xff\r\n--x--',
        ):
            tries.send(
                f"{door} multipart {raw[:20]!r}",
                "post",
                address(world, door),
                raw,
                content_type="multipart/form-data; boundary=x",
            )
    assert not tries.unkind, tries.told()


def test_every_form_comes_through_as_multipart_with_nul(tries: Tries, world: World) -> None:
    for name, sample in FORMS.items():
        for field in sample(world):
            tries.send(
                f"{name} {field}",
                "post",
                address(world, BY_NAME[name]),
                {**sample(world), field: "a\0b", "file": SimpleUploadedFile("f", b"\0")},
            )
    assert not tries.unkind, tries.told()


@pytest.mark.parametrize("step", ["questions", "plan", "people"])
def test_no_field_of_a_step_breaks_it(owner: Tries, world: World, step: str) -> None:
    sample = FORMS["annotate:import-step"](world)
    to = reverse("annotate:import-step", args=[world.facts["import_id"], step])
    for field in sample:
        for name, text in owner.of_field().items():
            owner.send(f"{step} {field}={name}", "post", to, sample | {field: text})
    assert not owner.unkind, owner.told()


def test_no_field_of_a_new_campaign_breaks_it_with_its_files(owner: Tries, world: World) -> None:
    door = BY_NAME["annotate:campaign-new"]
    sample = FORMS[door.name](world)
    for field in sample:
        for name, text in owner.of_field().items():
            body = sample | {field: text, "outputs": SimpleUploadedFile("o", lines())}
            owner.send(f"{field}={name}", "post", address(world, door), body)
    assert not owner.unkind, owner.told()
