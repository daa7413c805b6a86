"""The product without `extras`, as images have it: it works, and those commands are not there."""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.upgrade.databases import postgres

pytestmark = pytest.mark.slow

COMMANDS = {path.stem for path in (ROOT / "extras/management/commands").glob("[!_]*.py")}
EVERYTHING = """
import pkgutil, sys, django, annotate, config, estimation
django.setup()
for room in (annotate, config, estimation):
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        __import__(module.name)
from annotate.instruments import registry
registry.get("recorded_language_quality")
print(*sorted(sys.modules))
"""
SIGN_IN = """
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.create_user("ada"))
print(client.get(reverse("annotate:campaigns")).status_code)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the image copies, beside nothing else, and a database of its own."""
    folder = tmp_path_factory.mktemp("image")
    for source in re.findall(r"^COPY (\S+) \S+$", (ROOT / "Dockerfile").read_text(), re.M):
        if (ROOT / source).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / source, folder / source, ignore=ignored)
        else:
            shutil.copy(ROOT / source, folder / source)
    with postgres() as url:
        (folder / "database").write_text(url)
        yield folder


def run(copy: Path, *arguments: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, or elsewhere with the data of the copy."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    env = kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PLUMBLINE_VAR": str(copy / "var"),
        "DATABASE_URL": (copy / "database").read_text(),
        "REDIS_URL": "redis://localhost:1/0",
        "SECRET_KEY": secrets.token_urlsafe(50),
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=where or copy, env=env, capture_output=True, text=True
    )


def test_the_image_leaves_extras_out(copy: Path) -> None:
    assert {"annotate", "estimation", "config", "manage.py"} <= {p.name for p in copy.iterdir()}
    assert not (copy / "extras").exists()
    assert "!extras" not in (ROOT / ".dockerignore").read_text().split()


def test_every_module_of_the_product_can_be_imported_without_extras(copy: Path) -> None:
    """The instrument of campaigns that were imported with their judgments, too."""
    told = run(copy, "-c", EVERYTHING)
    assert told.returncode == 0, told.stderr
    loaded = set(told.stdout.split())
    assert "estimation.management.commands.plan" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in ("extras", "bench")}


def test_the_commands_of_extras_are_simply_not_there(copy: Path) -> None:
    assert {"demo", "mturk_simulator", "import_released", "replay", "reproduce"} == COMMANDS
    listed = set(run(copy, "manage.py", "help", "--commands").stdout.split())
    assert {"serve", "create_campaign", "estimate"} <= listed
    assert listed.isdisjoint(COMMANDS)
    here = run(copy, "manage.py", "help", "--commands", where=ROOT).stdout.split()
    assert set(here) >= COMMANDS | listed
    missing = run(copy, "manage.py", "demo")
    assert missing.returncode != 0
    assert "Unknown command: 'demo'" in missing.stderr


def test_a_campaign_can_be_made_and_looked_at_without_extras(copy: Path, tmp_path: Path) -> None:
    migrated = run(copy, "manage.py", "migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    (tmp_path / "rows.jsonl").write_text(json.dumps({"item": "1", "system": "a", "output": "x"}))
    plan = ["--name", "News", "--target", "overall=0.2", "--json"]
    made = run(copy, "manage.py", "create_campaign", str(tmp_path / "rows.jsonl"), *plan)
    assert made.returncode == 0, made.stderr
    shown = run(copy, "manage.py", "shell", "--verbosity", "0", "-c", SIGN_IN)
    assert shown.stdout.strip() == "200", shown.stderr
