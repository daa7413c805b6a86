"""An import from its first state to its last: by workers that are killed, twice, at once."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.campaigns import creating, imports
from annotate.campaigns.imports import blocks
from annotate.common import rows as common_rows
from annotate.common.errors import Conflict
from annotate.models import (
    Authorship,
    Campaign,
    CampaignImport,
    ImportChunk,
    Item,
    Output,
    Slot,
    System,
)
from annotate.models.base import ImportStatus
from tests.factories import plan, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PARTS = (Campaign, System, Item, Output, Authorship, Slot)


def data(items: int = 60, systems: tuple[str, ...] = ("a", "b")) -> bytes:
    rows = (
        {"item": f"i{i}", "system": s, "output": f"{s} wrote {i}", "metrics": {"quality": i}}
        for i in range(items)
        for s in systems
    )
    return "\n".join(map(json.dumps, rows)).encode()


def received(content: bytes | None = None, *, key: str = "k", **options: Any) -> CampaignImport:
    owner = options.pop("owner", None) or user(f"owner-{key}")
    changes = options.pop("plan", {})
    file = SimpleUploadedFile("outputs.jsonl", data() if content is None else content)
    return imports.receive(plan(**changes), file, owner_id=owner.pk, key=key, **options)


def ready(content: bytes | None = None, **options: Any) -> CampaignImport:
    of = received(content, **options)
    assert imports.run(of.pk)
    of.refresh_from_db()
    assert of.status == ImportStatus.READY, of.problems
    return of


def create(of: CampaignImport) -> None:
    imports.create(of, revision=of.revision, actor_id=of.owner_id or 0)


def sample(campaign: Campaign) -> list[tuple[Any, ...]]:
    """All that the seed decides, and the texts."""
    return list(
        campaign.slots.order_by("pk").values_list(
            "position",
            "number",
            "output__text",
            "output__item__key",
            "output__authorships__system__name",
        )
    )


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creating, "MOST_OUTPUTS", 10)


class Killed(BaseException):
    """What a power cut is to a test: no `except Exception` catches it."""


def kill_after(monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """Let the worker die in the transaction of a later chunk."""
    left = iter(range(chunks))
    real = common_rows.insert

    def store(model: type, *args: Any) -> None:
        real(model, *args)
        if model is Slot and next(left, None) is None:
            raise Killed

    monkeypatch.setattr(common_rows, "insert", store)


def minutes_pass(of: CampaignImport) -> None:
    """The claim of a killed worker runs out."""
    CampaignImport.objects.filter(pk=of.pk).update(
        claimed_until=timezone.now() - timedelta(seconds=1)
    )


def test_the_same_campaign_as_from_rows_in_memory():
    of = ready()
    create(of)
    assert imports.run(of.pk)
    of.refresh_from_db()
    from annotate.campaigns.reading import rows

    other = creating.create(plan(), rows([data()]), owner_id=None)
    assert sample(of.campaign) == sample(other)
    assert of.status == ImportStatus.DONE
    assert of.campaign.memberships.get().user_id == of.owner_id
    assert not ImportChunk.objects.exists()


def test_the_file_is_kept_in_pieces_and_given_back(monkeypatch):
    monkeypatch.setattr("annotate.campaigns.imports.CHUNK", 1000)
    of = received(data())
    assert ImportChunk.objects.count() > 5
    assert b"".join(blocks(of, ImportChunk.File.OUTPUTS)) == data()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("chunks", [0, 1, 5, 11])
def test_a_killed_worker_is_followed_by_one_that_goes_on_where_it_was(monkeypatch, chunks):
    whole = ready(key="whole")
    create(whole)
    imports.run(whole.pk)
    of = ready(key="killed")
    create(of)
    with monkeypatch.context() as patch:
        kill_after(patch, chunks)
        with pytest.raises(Killed):
            imports.run(of.pk)
    stored = Item.objects.filter(campaign__imported=of).count()
    assert stored == chunks * 5
    assert not imports.run(of.pk)  # it is still claimed
    minutes_pass(of)
    assert imports.run(of.pk)
    for one in (of, whole):
        one.refresh_from_db()
    assert of.status == ImportStatus.DONE
    assert sample(of.campaign) == sample(whole.campaign)


def test_a_killed_reader_is_followed_by_one_that_reads_again(monkeypatch):
    of = received()
    with monkeypatch.context() as patch:
        patch.setattr(
            "annotate.campaigns.reading.read", lambda *_, **_more: (_ for _ in ()).throw(Killed())
        )
        with pytest.raises(Killed):
            imports.run(of.pk)
    minutes_pass(of)
    assert imports.run_due() == 1
    of.refresh_from_db()
    assert of.status == ImportStatus.READY


@pytest.mark.usefixtures("small_chunks")
def test_no_page_shows_a_campaign_before_it_is_whole(monkeypatch, client):
    of = ready()
    create(of)
    client.force_login(of.owner)
    with monkeypatch.context() as patch:
        kill_after(patch, 3)
        with pytest.raises(Killed):
            imports.run(of.pk)
    of.refresh_from_db()
    half = Campaign.objects.get()
    assert client.get("/").context["campaigns"] == []
    assert client.get("/").context["imports"][0].percent == 25
    assert client.get(f"/campaigns/{half.public_id}/").status_code == 404
    assert client.get(f"/api/v1/campaigns/{half.public_id}/").status_code == 404
    assert client.get(f"/api/v1/imports/{of.public_id}/").json()["campaign"] is None


@pytest.mark.usefixtures("small_chunks")
def test_a_cancelled_import_leaves_nothing_behind(monkeypatch):
    of = ready()
    create(of)
    with monkeypatch.context() as patch:
        kill_after(patch, 3)
        with pytest.raises(Killed):
            imports.run(of.pk)
    of.refresh_from_db()
    imports.cancel(of, actor_id=of.owner_id)
    assert imports.due() == [of.pk]
    assert imports.run_due() == 1
    for model in (*PARTS, ImportChunk):
        assert not model._base_manager.exists(), model
    assert imports.run_due() == 0
    of.refresh_from_db()
    assert (of.status, of.campaign) == (ImportStatus.CANCELLED, None)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("when", ["reading", "creating"])
def test_a_worker_stops_at_the_next_step_after_a_cancel(monkeypatch, when):
    of = received() if when == "reading" else ready()
    if when == "creating":
        create(of)
    step = (imports, "blocks") if when == "reading" else (creating, "chunks")
    real = getattr(*step)

    def cancelled(*args: Any, **options: Any) -> Iterator[Any]:
        yield next(steps := real(*args, **options))
        imports.cancel(CampaignImport.objects.get(pk=of.pk), actor_id=of.owner_id)
        yield from steps

    monkeypatch.setattr(*step, cancelled)
    monkeypatch.setattr("annotate.campaigns.imports.CHUNK", 1000)
    monkeypatch.setattr(imports, "OFTEN", 0.0)
    assert imports.run(of.pk)
    of.refresh_from_db()
    assert of.status == ImportStatus.CANCELLED
    assert Item.objects.count() == (0 if when == "reading" else 5)
    imports.run_due()
    assert not Campaign.objects.exists()


@pytest.mark.usefixtures("small_chunks")
def test_a_worker_that_was_taken_for_dead_stores_nothing_more(monkeypatch):
    of = ready()
    create(of)
    real = creating.chunks

    def slow(*args: Any, **options: Any) -> Iterator[Any]:
        """Sleeps after its first chunk for so long that another worker does all the rest."""
        yield next(steps := real(*args, **options))
        monkeypatch.setattr(creating, "chunks", real)
        minutes_pass(of)
        assert imports.run(of.pk)
        yield from steps

    monkeypatch.setattr(creating, "chunks", slow)
    assert imports.run(of.pk)
    of.refresh_from_db()
    assert (of.status, of.attempts) == (ImportStatus.DONE, 0)
    assert sorted(of.campaign.items.values_list("position", flat=True)) == list(range(60))
    assert of.campaign.memberships.count() == 1


@pytest.mark.usefixtures("small_chunks")
def test_an_error_is_tried_three_times_then_told_and_can_be_tried_again(monkeypatch, caplog):
    of = ready()
    create(of)

    def full(*_args: Any, **_options: Any) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(common_rows, "insert", full)
        for _attempt in range(5):
            imports.run_due()
    of.refresh_from_db()
    assert of.status == ImportStatus.FAILED
    assert caplog.text.count("was stopped by an error") == 3
    assert imports.run_due() == 0
    imports.retry(of, actor_id=of.owner_id)
    imports.run_due()
    of.refresh_from_db()
    assert of.status == ImportStatus.DONE


def test_workers_run_one_import_at_a_time():
    first, second = received(key="first"), received(key="second")
    now = timezone.now()
    claimed = CampaignImport.objects.filter(pk=first.pk)
    claimed.update(claim="somebody", claimed_until=now + timedelta(seconds=30))
    assert not imports.run(second.pk)
    claimed.update(claimed_until=now - timedelta(seconds=1))
    assert imports.run(second.pk)


def test_a_command_does_not_keep_workers_from_importing():
    command = imports.direct(plan(), "outputs.jsonl", owner_id=None)
    command.status, command.claim = ImportStatus.CREATING, "the command"
    command.claimed_until = timezone.now() + timedelta(seconds=30)
    command.save()
    assert imports.run(received().pk)


@pytest.mark.usefixtures("small_chunks")
def test_what_a_killed_command_had_stored_is_removed(monkeypatch):
    kill_after(monkeypatch, 2)
    monkeypatch.setattr(imports, "move", lambda *_args, **_options: False)
    with pytest.raises(Killed):
        imports.run_directly(imports.direct(plan(), "outputs.jsonl", owner_id=None), [data()])
    monkeypatch.undo()
    assert Item.objects.exists()
    assert imports.run_due() == 0  # it may still run
    minutes_pass(CampaignImport.objects.get())
    imports.run_due()
    for model in PARTS:
        assert not model._base_manager.exists(), model


def test_a_person_keeps_so_many_files_waiting_and_no_more(monkeypatch):
    monkeypatch.setattr(imports, "MOST_OPEN", 3)
    owner = user("careless")
    waiting = [received(key=str(i), owner=owner) for i in range(3)]
    with pytest.raises(Conflict, match="Finish or discard"):
        received(key="one too many", owner=owner)
    assert received(key="2", owner=owner).pk == waiting[2].pk  # it is here already
    imports.cancel(waiting[0], actor_id=owner.pk)
    received(key="now there is room", owner=owner)


def test_what_waits_for_a_week_is_given_up():
    of = ready()
    weeks = timezone.now() - timedelta(days=8)
    CampaignImport.objects.filter(pk=of.pk).update(changed_at=weeks)
    imports.run_due()
    of.refresh_from_db()
    assert of.status == ImportStatus.CANCELLED
    assert not ImportChunk.objects.exists()


ACTS = st.lists(
    st.sampled_from(["run", "run", "create", "cancel", "change", "kill", "minutes", "retry"]),
    max_size=12,
)


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ACTS, st.integers(0, 8))
def test_whatever_happens_there_is_one_whole_campaign_or_none(db, acts, chunks):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(creating, "MOST_OUTPUTS", 10)
        of = received(key=f"k{CampaignImport.objects.count()}", owner=_owner())
        for act in [*acts, "minutes", "run"]:
            _do(act, of, chunks)
            of.refresh_from_db()
        imports.clean(of)
        of.refresh_from_db()
    if of.status == ImportStatus.DONE:
        assert of.campaign.outputs.count() == 120
        assert of.campaign.memberships.count() == 1
        assert not of.chunks.exists()
    elif of.status == ImportStatus.CANCELLED:
        assert of.campaign is None
        assert not of.chunks.exists()
    else:
        assert of.status == ImportStatus.READY
        assert of.campaign is None


def _owner() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get_or_create(username="random")[0]


def _do(act: str, of: CampaignImport, chunks: int) -> None:
    try:
        if act == "run":
            imports.run(of.pk)
        elif act == "create":
            create(of)
        elif act == "cancel":
            imports.cancel(of, actor_id=of.owner_id)
        elif act == "change":
            imports.change_plan(of, plan(name="Another"))
        elif act == "kill":
            with pytest.MonkeyPatch.context() as patch, suppress(Killed):
                kill_after(patch, chunks)
                imports.run(of.pk)
        elif act == "minutes":
            minutes_pass(of)
        else:
            imports.retry(of, actor_id=of.owner_id)
    except Conflict:
        pass
