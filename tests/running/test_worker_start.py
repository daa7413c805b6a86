"""What a worker loads before it makes its processes."""

import os
import subprocess
import sys

import pytest

START = """
import sys, django; django.setup()
from celery.signals import worker_init
print("nltk" in sys.modules)
worker_init.send(sender=None)
print("nltk" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redis_url", "loaded"), [("redis://127.0.0.1:1/0", True), ("", False)], ids=["own", "embedded"]
)
def test_scores_need_nothing_more_where_the_worker_is_a_process(redis_url: str, loaded: bool):
    done = subprocess.run(
        [sys.executable, "-c", START],
        env={**os.environ, "REDIS_URL": redis_url},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["False", str(loaded)]
