"""An export read back, for its tests."""

import csv
import io
import json
import zipfile
from typing import Any

from django.contrib.auth.models import User

from annotate.models import Campaign, Participation
from estimation import export
from tests.estimation.reviewed import exclude

NAMES = ("worker-A1B2C3", "worker-D4E5F6", "worker-G7H8J9")


class Unzipped:
    """An export, read back as somebody would who has nothing but its README."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        with zipfile.ZipFile(io.BytesIO(raw)) as zipped:
            assert zipped.testzip() is None
            (self.folder,) = {name.partition("/")[0] for name in zipped.namelist()}
            self.files = {
                name.partition("/")[2]: zipped.read(name).decode() for name in zipped.namelist()
            }

    def table(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.files[name], newline="")))

    def objects(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[name].split("\n") if line]

    @property
    def plan(self) -> dict[str, Any]:
        return dict(json.loads(self.files["plan.json"]))


def owner_of(made: Campaign) -> User:
    return User.objects.get(membership__campaign=made, membership__role="owner")


def shut_out(made: Campaign, name: str) -> Participation:
    """Exclude the work of the annotator of this name."""
    who = Participation.objects.get(campaign=made, annotator__external_id=name)
    exclude(who, owner_of(made), "too_fast")
    return who


def exported(made: Campaign) -> Unzipped:
    return Unzipped(b"".join(export.stream(made.public_id)))
