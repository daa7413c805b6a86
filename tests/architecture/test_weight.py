"""What every process carries: libraries that only some commands need are not among it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
import sys
import config.wsgi
from django.urls import get_resolver
from config.celery import app
get_resolver().reverse_dict
app.loader.import_default_modules()
print(*sorted(sys.modules))
"""
HEAVY = {"scipy.stats": 60, "pandas": 40, "matplotlib": 40}  # megabytes


def test_web_and_worker_start_without_heavy_libraries():
    told = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(told.stdout.split())
    assert "annotate.screening.speed" in loaded
    assert loaded.isdisjoint(HEAVY)
