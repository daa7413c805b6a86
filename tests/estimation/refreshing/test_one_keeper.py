"""A campaign that takes long to read is refreshed by the process that remembers it."""

import os

import pytest
from django.conf import settings as django_settings

from annotate.models import ChangeMark
from annotate.states import PUT_OFF
from config import celery, keeping, notes
from estimation.models import Estimate
from estimation.services import estimating, memory
from estimation.tasks import estimate_campaign
from tests.estimation.refreshing.acting import FAR
from tests.estimation.refreshing.recounting import read_only_what_is_new
from tests.factories import campaign, judge, person
from tests.processes import stack, wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _from_the_first_judgment(monkeypatch, no_screens, settings):
    read_only_what_is_new(monkeypatch)
    monkeypatch.setattr(notes, "_silent_until", 0.0)


@pytest.fixture
def messages(monkeypatch):
    sent = []
    monkeypatch.setattr(celery, "enqueue", lambda task, *args, **_how: sent.append((task, *args)))
    return sent


def judged():
    study = campaign(items=30, systems=("alpha",), targets=FAR)
    for name in ("a", "b", "c"):
        judge(person(study, name))
    return study


def kept_by_another(study, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr(keeping, "_me", lambda: b"another:1")
        keeping.keep(estimating.name_of(study.pk))


def forget_keeper(study):
    notes.shared(django_settings.REDIS_URL).delete(keeping._key(estimating.name_of(study.pk)))


def is_mine(study, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr(keeping, "_me", lambda: b"another:1")
        return keeping.is_kept_elsewhere(estimating.name_of(study.pk))


@pytest.mark.parametrize(("long_", "kept"), [(0.0, True), (1e9, False)])
def test_who_took_long_to_read_a_campaign_keeps_it(monkeypatch, long_, kept):
    monkeypatch.setattr(memory, "LONG", long_)
    study = judged()
    assert estimating.refresh(study.pk)
    assert is_mine(study, monkeypatch) == kept


def test_it_is_kept_by_every_refresh_even_if_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr(memory, "LONG", 0.0)
    study = judged()
    estimating.refresh(study.pk)
    for act in (lambda: judge(person(study, "p1")), lambda: None):
        act()
        forget_keeper(study)
        estimating.refresh(study.pk)
        assert is_mine(study, monkeypatch)
    assert set(ChangeMark.objects.values_list("reason", flat=True)) == {PUT_OFF}


def test_what_another_process_keeps_is_handed_on_and_forgotten(monkeypatch, messages):
    study = judged()
    estimating.refresh(study.pk)
    judge(person(study, "p1"))
    before = Estimate.objects.count()
    kept_by_another(study, monkeypatch)
    messages.clear()
    assert not estimating.refresh_as_told(study.pk)
    assert messages == [(estimate_campaign, study.pk)]
    assert Estimate.objects.count() == before
    assert memory.of(study.pk).facts is None


def test_the_catch_up_hands_it_on_as_well(monkeypatch, messages, clock):
    study = judged()
    clock.move(hours=1)
    kept_by_another(study, monkeypatch)
    messages.clear()
    assert estimating.catch_up() == 1
    assert messages == [(estimate_campaign, study.pk)]
    assert not Estimate.objects.exists()


def test_once_the_other_process_is_silent_this_one_takes_over(monkeypatch, messages):
    study = judged()
    kept_by_another(study, monkeypatch)
    assert not estimating.refresh_as_told(study.pk)
    forget_keeper(study)
    assert estimating.refresh_as_told(study.pk)
    assert Estimate.objects.filter(campaign=study).exists()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_real_workers_hand_a_message_on_until_it_is_taken(tmp_path, monkeypatch):
    """The keeper is gone; no beat finds what messages lose."""
    study = campaign(items=30, systems=("alpha",), targets=FAR)
    for name in ("a", "b"):
        judge(person(study, name))
    with stack(tmp_path, redis_url=os.environ["REDIS_URL"]) as processes:
        processes.start("processes")
        judge(person(study, "c"))
        wait_for(lambda: Estimate.objects.filter(campaign=study, n_judgments=3).exists())
        monkeypatch.setattr(keeping, "SECONDS", 3.0)
        kept_by_another(study, monkeypatch)
        judge(person(study, "p1"))
        wait_for(lambda: Estimate.objects.filter(campaign=study, n_judgments=4).exists())
        assert not keeping.is_kept_elsewhere(estimating.name_of(study.pk))
