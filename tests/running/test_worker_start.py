"""What a worker loads before it makes its processes, and what each process does with it."""

import subprocess
import sys

import pytest

from config.celery import COLLECTING

START = """
import sys, django; django.setup()
from celery.signals import worker_init
print("nltk" in sys.modules)
worker_init.send(sender=None)
print("nltk" in sys.modules)
"""


@pytest.mark.slow
def test_scores_need_nothing_more_where_a_worker_starts():
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["False", "True"]


WEB = """
import config.wsgi
"""
WORKER = """
import django; django.setup()
from celery.signals import worker_process_init
worker_process_init.send(sender=None)
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", [WEB, WORKER], ids=["web", "worker"])
def test_a_process_sets_loaded_code_aside_from_garbage(start: str) -> None:
    told = "import gc, sys; print(gc.get_freeze_count(), *gc.get_threshold())\n"
    done = subprocess.run(
        [sys.executable, "-c", start + told], capture_output=True, text=True, timeout=60, check=True
    )
    aside, *thresholds = map(int, done.stdout.split())
    assert aside > 10_000
    assert tuple(thresholds) == COLLECTING


@pytest.mark.slow
def test_a_web_process_has_loaded_all_pages() -> None:
    told = 'import sys; print("annotate.work.endpoints" in sys.modules)\n'
    done = subprocess.run(
        [sys.executable, "-c", WEB + told], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["True"]
