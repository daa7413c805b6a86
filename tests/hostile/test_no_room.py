"""A full disk at every address."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.addresses import DOORS, World
from tests.hostile.trying import Tries, address, no_room

pytestmark = [pytest.mark.hostile, pytest.mark.django_db]


def test_no_address_breaks_for_want_of_room(tries: Tries, world: World) -> None:
    """Smaller ones than most addresses take, so that they are read."""
    for door in DOORS:
        with no_room():
            tries.send(str(door), "post", address(world, door), {"file": upload_of(2_600_000)})
            tries.send(str(door), "post", address(world, door), {"file": upload_of(1_900_000)})
    assert not tries.unkind, tries.told()


def upload_of(size: int) -> SimpleUploadedFile:
    return SimpleUploadedFile("file", b"\0" * size)
