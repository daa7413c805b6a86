"""Who may import whom, how long a module may be, and that pages load nothing from elsewhere."""

import re
from pathlib import Path

import pytest

from tests.architecture.rules import READS_MODELS, breaches

ROOT = Path(__file__).resolve().parents[2]
LOADS = re.compile(
    r"""(?:\b(?:src|srcset|poster)\s*=\s*["']?|<link\b[^>]*\bhref\s*=\s*["']?|url\(\s*["']?|"""
    r"""@import\s+["']|\bfrom\s+["']|\bimport\s*\(?\s*["']|\bfetch\(\s*["'`])(?:https?:)?//""",
    re.IGNORECASE,
)


def modules() -> list[Path]:
    return [
        path
        for room in ("annotate", "estimation", "config", "extras", "bench")
        for path in sorted((ROOT / room).rglob("*.py"))
        if "migrations" not in path.parts
    ]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def breaches_of(path: Path) -> list[str]:
    is_package = path.name == "__init__.py"
    found = breaches(name_of(path), path.read_text(encoding="utf-8"), is_package=is_package)
    return [str(breach) for breach in found]


def test_every_module_keeps_to_its_room():
    found = [breach for path in modules() for breach in breaches_of(path)]
    assert not found, "\n".join(found)


def test_the_modules_that_may_read_models_still_exist_and_still_do():
    for module in READS_MODELS:
        path = ROOT / (module.replace(".", "/") + ".py")
        assert path.exists(), f"{module} is gone: take it off READS_MODELS"
        assert "models" in path.read_text(encoding="utf-8"), f"{module} can leave READS_MODELS"


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("estimation.core.fit", "import django"),
        ("estimation.core.fit", "def f():\n    from django.utils import timezone"),
        ("estimation.core.fit", "from estimation import models"),
        ("estimation.core.fit", "from ..services import estimating"),
        ("estimation.metrics.edits", "from annotate.errors import Invalid"),
        ("annotate.services.work.leasing", "from estimation.services import estimating"),
        ("annotate.services.work.leasing", "from estimation import tasks"),
        ("annotate.views.work.pages", "import estimation.models"),
        (
            "annotate.views.work.pages",
            "import importlib\nimportlib.import_module('estimation.data')",
        ),
        ("estimation.services.stopping", "from annotate.models import Campaign"),
        ("estimation.services.stopping", "from annotate import models"),
        ("estimation.data", "def f():\n    import annotate.models.work"),
        ("estimation.views.dashboard", "from annotate.views import work"),
        ("annotate.views.work.pages", "from annotate.models import Campaign"),
        ("annotate.tasks", "from annotate.models import Campaign"),
        ("annotate.management.commands.x", "from estimation.models import Estimate"),
        ("annotate.views.work.pages", "def f(draft):\n    draft.save()"),
        ("annotate.api.campaigns.queries", "Campaign.objects.create(name='x')"),
        ("annotate.api.campaigns.queries", "Campaign.objects.filter(pk=1).update(name='x')"),
        ("estimation.tasks", "marks.filter(pk=1).order_by('pk').delete()"),
        ("annotate.instruments.qa.instrument", "from annotate.models import Output"),
        ("annotate.instruments.qa.instrument", "from django.http import HttpRequest"),
        ("annotate.crowds.link", "from annotate import models"),
        ("annotate.crowds.link", "from django.conf import settings"),
        ("annotate.crowds.prolific.marketplace", "import boto3"),
        ("annotate.crowds.mturkish", "import boto3"),
        ("annotate.services.marketplace.batches", "def f():\n    import botocore.exceptions"),
        ("extras.demo.people", "import botocore"),
        ("extras.mturk_simulator.server", "import boto3"),
        ("extras.mturk_simulator.site.pages", "from annotate.models import Campaign"),
        ("extras.mturk_simulator.site.pages", "from django.http import HttpResponse"),
        ("annotate.services.campaigns.creating", "from extras.demo import people"),
        ("annotate.instruments.registry", "def f():\n    import extras"),
        ("estimation.services.estimating", "import bench.coverage"),
        ("estimation.core.simulation", "from extras import replication"),
        ("config.settings", "from importlib import import_module\nimport_module('extras.demo')"),
        ("config.local.serving", "from bench import leasing"),
    ],
)
def test_a_breach_is_found(module, source):
    assert breaches(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("annotate.services.work.leasing", "from estimation.metrics.edits import hter"),
        ("annotate.crowds.mturk.marketplace", "import boto3"),
        ("annotate.crowds.mturk.errors", "from botocore import exceptions"),
        ("extras.mturk_simulator.api.shapes", "from botocore.loaders import Loader"),
        ("extras.demo.people", "from annotate.services.work import judgments"),
        ("config.settings", "from extraspace import extras"),
        ("estimation.data", "from annotate.selectors import evidence"),
        ("estimation.services.stopping", "from annotate.states import CloseReason"),
        ("annotate.views.work.pages", "from annotate.services import ingest\ningest.create(plan)"),
        ("annotate.views.work.pages", "def f(data):\n    data.update(x=1)"),
        (
            "estimation.core.fit",
            "from . import moments\nfrom estimation.core import parts",
        ),
    ],
)
def test_what_is_allowed_is_not_a_breach(module, source):
    assert not breaches(module, source)


def assets() -> list[Path]:
    return [
        path
        for room in ("templates", "static", "annotate", "estimation", "extras")
        for path in sorted((ROOT / room).rglob("*"))
        if path.suffix in (".html", ".css", ".js", ".svg")
    ]


def test_pages_load_nothing_from_elsewhere():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in assets()
        for match in LOADS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert assets()
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        "@font-face { src: url(https://fonts.example/x.woff2) }",
        '@import "https://fonts.example/css";',
        'import { x } from "https://esm.example/x";',
    ],
)
def test_a_foreign_asset_is_found(text):
    assert LOADS.search(text)


@pytest.mark.parametrize(
    "text",
    [
        '<svg xmlns="http://www.w3.org/2000/svg">',
        '<a href="https://github.com/plumbline">source</a>',
        '<script type="module" src="{% static \'js/shell.js\' %}"></script>',
        'import { x } from "./x.js";',
    ],
)
def test_a_link_for_people_is_not_an_asset(text):
    assert not LOADS.search(text)
