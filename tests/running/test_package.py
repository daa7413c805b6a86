"""What pip installs: the product with its pages, without extras, tests and benches."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from config.version import VERSION
from tests.upgrade.databases import postgres

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
A_PAGE = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.staticfiles import finders
from django.test import Client
page = Client().get("/login/", headers={"host": "localhost"})
assert b"Log in" in page.content, page.content
assert finders.find("css/forms.css")
from django.template.loader import get_template
from annotate.instruments.registry import asked
for instrument in asked():
    assert get_template(instrument.template)
    assert finders.find(f"js/{instrument.template[5:-5]}.js"), instrument.key
import annotate
print(page.status_code, annotate.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("package")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("plumbline-*.whl")
    with ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, folder: Path, *command: str, **more: str) -> str:
    """Run a command outside of the checkout, with the package alone."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env = {
        **kept,
        "PYTHONPATH": str(installed),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PLUMBLINE_VAR": str(folder / "var"),
        **more,
    }
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_holds_the_product_alone(installed: Path) -> None:
    rooms = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert rooms == {"annotate", "estimation", "config"}
    (facts,) = installed.glob("*.dist-info/METADATA")
    wanted = [line for line in facts.read_text().splitlines() if line.startswith("Requires-Dist")]
    assert any("django~=5.2" in line.lower() for line in wanted)
    (scripts,) = installed.glob("*.dist-info/entry_points.txt")
    assert "plumbline = config.command:main" in scripts.read_text()


def test_an_installed_plumbline_shows_its_pages(installed: Path, tmp_path: Path) -> None:
    with postgres() as url:
        status, place = run(installed, tmp_path, "-c", A_PAGE, DATABASE_URL=url).split()
    assert (status, Path(place).is_relative_to(installed)) == ("200", True)


def test_its_command_line_knows_the_products_commands(installed: Path, tmp_path: Path) -> None:
    told = run(installed, tmp_path, "-m", "config.command", "help", "--commands").split()
    assert {"serve", "create_campaign", "launch", "estimate", "migrate"} <= set(told)
    assert not {"demo", "mturk_simulator", "reproduce"} & set(told)


def test_every_file_that_names_a_version_names_the_same() -> None:
    versions = {
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (".", "client")
    }
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    released = re.findall(r"^## (\d+\.\d+\.\d+),", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert versions == {cited} == {released[0]} == {VERSION}
