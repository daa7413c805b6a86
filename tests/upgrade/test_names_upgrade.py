"""People who came by open links before names were compared by how they look: all of them stay."""

import json
from collections.abc import Iterator

import pytest

from tests.upgrade.old_database import MIGRATIONS, manage, postgres, run

pytestmark = pytest.mark.slow

MANY = 5_000  # more than are read at once
COME = f"""
import django; django.setup()
from django.db import connection
from django.utils import timezone
people = [("open-7", "grace h"), ("open-7", "grасе h"), ("open-7", "grace.h"), ("open-7", "ann"),
          ("open-8", "grace h"), ("live", "Grace H"), ("live", "grace h")]
people += [("open-9", f"person {{n}}") for n in range({MANY})]
now = timezone.now()
with connection.cursor() as cursor:
    cursor.executemany(
        "INSERT INTO annotate_annotator (crowd, environment, external_id, pseudonym, created_at) "
        "VALUES ('link', %s, %s, %s, %s)",
        [(place, name, f"p{{n}}", now) for n, (place, name) in enumerate(people)],
    )
"""
LOOK = """
import django, json; django.setup()
from annotate.models import Annotator, Campaign, Participation
from annotate.common.text import Keys, keys
from annotate.work import participations
from annotate.common.errors import Conflict
from tests.factories import campaign
rows = Annotator.objects.filter(crowd="link").order_by("pk")
few = rows.exclude(environment="open-9").filter(pseudonym__startswith="p")
said = {
    "held": [[a.environment, a.external_id, a.holds_name] for a in few],
    "wrong": [
        a.external_id for a in rows if Keys(a.name_small, a.name_large) != keys(a.external_id)
    ],
    "many": rows.filter(environment="open-9", holds_name=True).count(),
}
made = campaign(name="later", is_open=True)
for one in Annotator.objects.filter(environment="open-7"):
    Annotator.objects.filter(pk=one.pk).update(environment=f"open-{made.pk}")
    Participation.objects.create(campaign=made, annotator=one)
def join(name):
    try:
        return participations.enter_by_name(made.pk, name=name).annotator.external_id
    except Conflict as refused:
        return refused.code
said["come"] = [join(name) for name in ("Grace H", "GRACE-H", "Ann", "Bob")]
print(json.dumps(said))
"""


@pytest.fixture
def database() -> Iterator[str]:
    with postgres() as url:
        yield url


def test_all_stay_and_newcomers_meet_the_first(database: str) -> None:
    for app, migration in MIGRATIONS["0.1.0"].items():
        manage(database, "migrate", app, migration, "-v0")
    run(database, "-c", COME)
    manage(database, "migrate", "-v0")
    said = json.loads(run(database, "-c", LOOK))
    assert said["held"] == [
        ["open-7", "grace h", True],
        ["open-7", "grасе h", False],
        ["open-7", "grace.h", False],
        ["open-7", "ann", True],
        ["open-8", "grace h", True],
        ["live", "Grace H", False],
        ["live", "grace h", False],
    ]
    assert said["wrong"] == []
    assert said["many"] == MANY
    assert said["come"] == ["name_taken", "name_taken", "name_taken", "Bob"]
