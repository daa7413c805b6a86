"""Campaigns of any size for benchmarks: one real judgment, cloned by the database itself.

A million judgments through the services would take hours, and only the rows matter here.
Imported after `django.setup()`.
"""

from typing import Any

from django.db import connection, models, transaction
from django.db.models import Max

from annotate.campaigns import life, totals
from annotate.common import locks
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Campaign,
    Item,
    Judgment,
    LedgerEntry,
    Output,
    Participation,
    Score,
    Slot,
    System,
)
from annotate.work import scoring
from estimation import refresh
from estimation.models import MetricScore
from tests import factories

SYSTEMS = 4
CRITERIA = 4
CAP = 25  # judgments per annotator
SPACING = 10_000_000  # what lies between the ids of one campaign's rows and the next one's

# Systems take turns, and of every four positions the first is judged twice.
_TURN = f"t / {SYSTEMS}"
_POSITION = f"4 * ({_TURN} / 5) + CASE WHEN {_TURN} % 5 < 2 THEN 0 ELSE {_TURN} % 5 - 1 END"

_PATHS: dict[type[models.Model], str] = {
    Campaign: "pk",
    Authorship: "item__campaign",
    Annotator: "participations__campaign",
    Score: "judgment__campaign",
}


def judged(judgments: int, *, free_items: int | None = None, **changes: Any) -> int:
    """Make an open campaign with so many judgments by `judgments` / 25 people; return its id.

    4 systems, 4 criteria, a metric; each system has 0.8 judged outputs per judgment and
    `free_items` (a tenth) more that nobody has judged yet. changes: to the plan.
    """
    plan = {"targets": {"overall": 1e-6}} | changes
    systems = ("one", "two", "three", "four")
    template = factories.campaign(items=1, systems=systems, is_open=False, **plan)
    life.open_(template.pk)
    factories.judge(factories.person(template, f"template-{judgments}"))
    refresh.refresh(template.pk)
    scoring.ensure(template.pk)
    return _Clones(template, judgments, free_items).make()


def _newest() -> int:
    """Return the highest id of any table whose rows are cloned; scores have the most rows."""
    newest = (model.objects.aggregate(pk=Max("pk"))["pk"] for model in (Campaign, Score))
    return max(filter(None, newest), default=0)


class _Clones:
    """The rows of one campaign; numbers in SQL are offsets from `base`."""

    def __init__(self, template: Campaign, judgments: int, free_items: int | None) -> None:
        self.template = template
        self.judgments = judgments
        self.people = judgments // CAP + 1
        used = judgments * 4 // 5 // SYSTEMS
        self.items = used * 11 // 10 if free_items is None else used + free_items
        self.base = SPACING * (1 + _newest() // SPACING)
        self.campaign = self.base
        self.cloned: set[str] = set()  # tables

    def make(self) -> int:
        with connection.cursor() as cursor:  # foreign keys would be checked row by row
            cursor.execute("SET session_replication_role = replica")
        self._campaign()
        self._outputs()
        self._people()
        self._work()
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = DEFAULT")
            self._continue_ids()
            cursor.execute("ANALYZE")
        with transaction.atomic():
            totals.recount(locks.campaign(self.campaign).pk)
        return self.campaign

    def _continue_ids(self) -> None:
        """Give new rows higher ids than the cloned ones have, as in life.

        A worker reads judgments with higher ids than it has seen.
        """
        with connection.cursor() as cursor:
            for table in self.cloned:
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"  # noqa: S608
                )

    def _campaign(self) -> None:
        self._clone(Campaign, 1, {"public_id": "'b' || {base}"})
        self._clone(System, SYSTEMS, {"name": "'system-' || t"})
        self._clone(self.template.targets.model, 1, {})

    def _outputs(self) -> None:
        n = self.items * SYSTEMS
        item = f"{{base}} + t / {SYSTEMS}"
        self._clone(Item, self.items, {"key": "'item-' || t", "position": "t"})
        self._clone(Output, n, {"item_id": item, "digest": "'digest-' || t"})
        system = f"{{base}} + t % {SYSTEMS}"
        self._clone(
            Authorship, n, {"item_id": item, "output_id": "{base} + t", "system_id": system}
        )
        # A metric that follows the scores a little.
        value = "(t * 7919 % 3) + (t * 104729 % 1000) / 500.0"
        self._clone(MetricScore, n, {"output_id": "{base} + t", "value": value})
        free = f"{{base}} + {self.judgments} + t"
        first = self.judgments * 4 // 5
        slot = {"id": free, "assignment_id": "NULL", "number": "1"}
        slot |= {"output_id": f"{{base}} + {first} + t", "position": f"({first} + t) / {SYSTEMS}"}
        self._clone(Slot, n - first, slot)

    def _people(self) -> None:
        names = {"external_id": "'bench-' || ({base} + t)", "pseudonym": "'c' || ({base} + t)"}
        self._clone(Annotator, self.people, names)
        self._clone(Participation, self.people, {"annotator_id": "{base} + t"})

    def _work(self) -> None:
        person = f"{{base}} + (t * 7919) % {self.people}"
        output = f"{{base}} + {SYSTEMS} * ({_POSITION}) + t % {SYSTEMS}"
        own = "{base} + t"
        work = {"annotator_id": person, "output_id": output, "participation_id": person}
        self._clone(Assignment, self.judgments, work)
        number = f"CASE WHEN {_TURN} % 5 = 1 THEN 2 ELSE 1 END"
        slot = {"output_id": output, "assignment_id": own, "position": _POSITION, "number": number}
        self._clone(Slot, self.judgments, slot)
        self._clone(Judgment, self.judgments, work | {"assignment_id": own})
        paid = {"participation_id": person, "assignment_id": own, "key": "'clone-' || ({base} + t)"}
        self._clone(LedgerEntry, self.judgments, paid)
        value = f"(t / {CRITERIA} * 7919 + t % {CRITERIA} * 31 + t / 7 % 2) % 3 - 1"
        names = " ".join(f"WHEN {i} THEN '{name}'" for i, name in enumerate(self._criteria()))
        self._clone(
            Score,
            self.judgments * CRITERIA,
            {
                "judgment_id": f"{{base}} + t / {CRITERIA}",
                "criterion": f"CASE t % {CRITERIA} {names} END",
                "value": value,
            },
        )

    def _criteria(self) -> list[str]:
        scores = Score.objects.filter(judgment__campaign=self.template)
        return sorted(set(scores.values_list("criterion", flat=True)))

    def _clone(self, model: type[models.Model], count: int, changes: dict[str, str]) -> None:
        """Copy the template's row `count` times; `changes` are SQL in t = 0 .. count - 1."""
        changes = {"id": "{base} + t", "campaign_id": str(self.campaign)} | changes
        columns = [field.column for field in model._meta.local_concrete_fields]
        values = [
            changes.get(column, f'row."{column}"').format(base=self.base) for column in columns
        ]
        names = ", ".join(f'"{column}"' for column in columns)
        table = model._meta.db_table
        self.cloned.add(table)
        row = model._default_manager.filter(**{_PATHS.get(model, "campaign"): self.template.pk})
        source = row.order_by("pk").values_list("pk", flat=True)[0]
        query = (
            "WITH RECURSIVE n(t) AS (SELECT CAST(0 AS bigint) UNION ALL "  # noqa: S608
            f"SELECT t + 1 FROM n WHERE t + 1 < {count}) "
            f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} "
            f"FROM {table} AS row, n WHERE row.id = {source}"
        )
        with connection.cursor() as cursor:
            cursor.execute(query)
