"""One writer per state: which module may write which, and that no other does."""

from importlib import import_module

import pytest
from django.apps import apps

from tests.architecture.states import HOLDER, STATES, Write, changes, sources, writes, written

# What writes a state. A status goes through `transitions` alone; beside it stand rows that begin
# in another status than the model's own, and objects in memory that follow their row.
WRITERS = {
    Write("annotate.common.audit", "update", "*"),
    Write("annotate.common.audit", "update", "status"),
    Write("annotate.campaigns.imports", "attribute", "status"),
    Write("annotate.crowds.outbox", "attribute", "*"),
    Write("annotate.review.reviews", "attribute", "pay_refused"),
    Write("annotate.review.reviews", "attribute", "status"),
    Write("annotate.review.reviews", "create", "status"),
    Write("annotate.review.reviews", "update", "pay_refused"),
    Write("annotate.campaigns.life", "update", "stop_position"),
    Write("annotate.crowds.batches", "update", "stopped_at"),
    Write("annotate.review.appeals", "update", "answered_at"),
    Write("annotate.review.exclusions", "update", "restored_at"),
    Write("annotate.work.slots", "update", "assignment"),
    Write("annotate.models.crowds", "update", "*"),  # checks payloads, then updates as asked
    Write("annotate.models.work", "update", "superseded_at"),  # which are facts otherwise
    # A judgment comes late to somebody whose work is excluded: a new row, not a change.
    Write("annotate.work.participations", "create", "restored_at"),
    # Attributes that are no state, of names that are put together when it runs.
    Write("annotate.campaigns.imports", "attribute", "*"),
    Write("annotate.work.access", "attribute", "*"),
    Write("estimation.history", "attribute", "*"),
}
TABLES = {
    "annotate.campaigns.imports": "CampaignImport",
    "annotate.campaigns.life": "Campaign",
    "annotate.crowds.postings": "Posting",
    "annotate.crowds.outbox": "Operation",
    "annotate.review.reviews": "Review",
    "annotate.work.slots": "Assignment",
    "annotate.work.participations": "Participation",
}
MODELS = {
    model.__name__
    for label in ("annotate", "estimation")
    for model in apps.get_app_config(label).get_models()
}


def test_each_state_has_one_writer():
    found = {
        write for name, text in sources().items() for write in writes(name, text, models=MODELS)
    }
    assert sorted(found - WRITERS) == []
    assert sorted(WRITERS - found) == [], "these write no more: take them off the list"


def test_a_state_is_written_in_one_module_each():
    for field in (STATES | {HOLDER}) - {"status"}:
        updates = [one for one in WRITERS if (one.kind, one.field) == ("update", field)]
        assert len(updates) == 1


def test_each_status_has_one_table_and_only_its_module_uses_it():
    used = {name: changes(text) for name, text in sources().items()}
    assert {name for name, tables in used.items() if tables} == set(TABLES)
    for name, tables in used.items():
        assert set(tables) <= {"TRANSITIONS"}, name


def test_every_model_with_a_status_has_a_table_that_names_every_state():
    with_status = {
        model.__name__: {value for value, _label in model._meta.get_field("status").flatchoices}
        for model in apps.get_app_config("annotate").get_models()
        if any(field.name == "status" for field in model._meta.get_fields())
    }
    tables = {TABLES[name]: import_module(name).TRANSITIONS for name in TABLES}
    assert {name: set(table) for name, table in tables.items()} == with_status
    for name, table in tables.items():
        assert all(set(targets) <= with_status[name] for targets in table.values())


@pytest.mark.parametrize(
    "kind", ["views", "api", "tasks", "management", "pages", "endpoints", "wizard"]
)
def test_pages_endpoints_tasks_and_commands_write_nothing_themselves(kind):
    mine = {
        name: text
        for name, text in sources().items()
        if any(part == kind or part.endswith(f"_{kind}") for part in name.split(".")[1:])
    }
    assert mine
    assert {name: found for name, text in mine.items() if (found := list(written(text)))} == {}


def test_few_modules_see_superseded_judgments():
    found = {name for name, text in sources().items() if "Judgment.every" in text}
    assert found == {
        "annotate.campaigns.contents_api",  # marks them
        "annotate.campaigns.exports",  # marks them
        "annotate.review.items",  # shows them, marked
        "annotate.review.evidence",  # shows them, marked
        "annotate.pay.tallies",  # counts corrections not at all
        "annotate.work.queries",  # how often a text was corrected
        "annotate.work.scoring",
        "annotate.work.submitting",
    }


@pytest.mark.parametrize(
    ("source", "kind", "field"),
    [
        ("Assignment.objects.filter(pk=1).update(status='left')", "update", "status"),
        ("mine.update(ended_at=now, status=to)", "update", "status"),
        ("await mine.aupdate(status=to)", "update", "status"),
        ("mine.update(**fields)", "update", "*"),
        ("Slot.objects.filter(pk=1).update(assignment=None)", "update", "assignment"),
        ("Slot.objects.bulk_update(rows, ['status'])", "update", "status"),
        ("who.status = Status.LEFT", "attribute", "status"),
        ("who.status, who.problem = Status.LEFT, ''", "attribute", "status"),
        ("who.save(update_fields=['status'])", "update", "status"),
        ("setattr(who, 'status', Status.LEFT)", "attribute", "status"),
        ("setattr(who, name, value)", "attribute", "*"),
        ("Review.objects.create(campaign=c, status=Status.OPEN)", "create", "status"),
        ("Review.objects.get_or_create(pk=1, defaults={'status': 'open'})", "create", "status"),
        ("Review.objects.bulk_create([Review(status='open')])", "create", "status"),
        ("review.rulings.update(pay_refused=True)", "update", "pay_refused"),
        ("campaign.systems.update(stop_position=None)", "update", "stop_position"),
    ],
)
def test_a_second_writer_is_found(source, kind, field):
    wrapped = "async def f():\n    " + source
    assert Write("m", kind, field) in set(writes("m", wrapped, models=MODELS))
