"""What a deployment rests on: secure settings, the schema, and docker-compose.yml."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotate.crowds.adapters import CROWDS

ROOT = Path(__file__).resolve().parents[2]
KEY = "Zx8j2kq9vTq3LmNo4pRs5tUv6wXy7zAb8cDe9fGhJk1LmN2oPq"
PRODUCTION = {
    "PUBLIC_URL": "https://plumbline.example",
    "SECRET_KEY": KEY,
    "DATABASE_URL": "postgres://plumbline:secret@postgres:5432/plumbline",
    "REDIS_URL": "redis://redis:6379/0",
}
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def manage(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run manage.py with this environment and nothing of the session's."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=keep | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_djangos_own_check_of_a_deployment_is_silent():
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    "key", ["", "changeme", "short", "django-insecure-" + KEY, "a" * 50], ids=lambda key: key[:12]
)
def test_it_does_not_start_without_a_strong_secret(key):
    done = manage("check", **{**PRODUCTION, "SECRET_KEY": key})
    assert done.returncode != 0
    assert "SECRET_KEY" in done.stderr


@pytest.mark.slow
def test_debug_is_off_unless_asked_for():
    done = manage(
        "shell", "-c", "from django.conf import settings as s; print(s.DEBUG)", **PRODUCTION
    )
    assert done.stdout.split()[-1] == "False"


@pytest.mark.slow
def test_the_schema_of_the_api_has_no_warnings():
    done = manage("spectacular", "--validate", "--fail-on-warn", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    for path in ("campaigns/{public_id}/judgments/", "campaigns/{public_id}/estimates/", "token/"):
        assert f"/api/v1/{path}:" in done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_our_own_or_pinned(name):
    image = SERVICES[name]["image"]
    assert image == "plumbline" or re.search(r":\d+\.\d+\.?\d*-\w+$", image), image


def test_every_service_that_stays_is_watched_and_restarted():
    for name, service in SERVICES.items():
        if name == "migrate":
            assert service["restart"].startswith("on-failure")
            continue
        assert service["restart"] == "unless-stopped", name
        assert {"test", "interval", "timeout", "retries"} <= set(service["healthcheck"]), name


def test_everybody_waits_for_what_exists():
    for name, service in SERVICES.items():
        for other, wanted in service.get("depends_on", {}).items():
            assert other in SERVICES, (name, other)
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other]
    for name in ("web", "worker", "beat"):
        migrated = SERVICES[name]["depends_on"]["migrate"]["condition"]
        assert migrated == "service_completed_successfully"


def test_only_the_web_is_published_and_volumes_are_declared():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["web"]
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in COMPOSE["volumes"]


OURS = [name for name, service in SERVICES.items() if service["image"] == "plumbline"]
# Read by boto3 itself, from the environment of whatever process calls MTurk.
AMAZONS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE")


def settings_read() -> set[str]:
    """Return the variables that the settings read from the environment."""
    text = (ROOT / "config" / "settings.py").read_text()
    of_crowds = {name for crowd in CROWDS.values() for name in crowd.settings}
    return of_crowds | set(re.findall(r"""env\.\w+\(\s*["']([A-Z_]+)["']""", text))


def inside(name: str, dotenv: dict[str, str]) -> dict[str, str]:
    """Return a container's environment, as Compose makes it of a service and a file `.env`."""
    service = SERVICES[name]
    files = service.get("env_file", [])
    assert files in ([], [{"path": ".env", "required": False}])
    chosen: dict[str, str] = {}
    for key, value in service.get("environment", {}).items():
        chosen[key] = re.sub(
            r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda found: dotenv.get(found[1], found[2]), value
        )
    return (dotenv if files else {}) | chosen


@pytest.mark.parametrize("name", OURS)
def test_whatever_is_set_reaches_every_container(name):
    # What Compose itself decides: where the others are, and where beat's volume is.
    decided = {"DATABASE_URL", "REDIS_URL", "PLUMBLINE_VAR"}
    dotenv = {key: f"mine-{key}" for key in (*settings_read(), *AMAZONS, "POSTGRES_PASSWORD")}
    found = inside(name, dotenv)
    missing = {key for key in dotenv if found.get(key) != dotenv[key]} - decided
    assert missing == set()
    assert found["REDIS_URL"].startswith("redis://redis:")
    assert "mine-POSTGRES_PASSWORD@postgres" in found["DATABASE_URL"]
    assert found["PLUMBLINE_VAR"] == "/var/lib/plumbline"


def test_the_background_leaves_the_processor_to_all_other_containers():
    # Niceness counts inside a container only, so the containers' shares decide.
    assert SERVICES["background"]["cpu_shares"] <= 1024 // 50
    assert [name for name in SERVICES if "cpu_shares" in SERVICES[name]] == ["background"]


def test_only_our_own_containers_learn_what_is_set():
    assert len(OURS) == 5
    for name, service in SERVICES.items():
        assert ("env_file" in service) == (name in OURS)


@pytest.mark.parametrize("crowd", ["MTURK_ENVIRONMENT", "PROLIFIC_API_TOKEN"])
def test_the_example_names_what_a_crowd_needs(crowd):
    assert f"#{crowd}=" in (ROOT / ".env.example").read_text()


def test_every_setting_is_documented():
    told = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    assert {name for name in settings_read() if f"`{name}`" not in told} == set()


def test_secrets_have_no_default():
    text = (ROOT / "docker-compose.yml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert set(re.findall(rf"\${{{name}(.)(.)", text)) == {(":", "?")}
        assert f"\n{name}=\n" in (ROOT / ".env.example").read_text()


def test_the_image_runs_as_nobody_special_and_copies_what_exists():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert lines[1].startswith("FROM python:3.11")
    assert "USER plumbline" in lines
    ignored = (ROOT / ".dockerignore").read_text().split()
    for line in lines:
        if line.startswith("COPY "):
            source = line.split()[1]
            assert (ROOT / source).exists()
            assert f"!{source}" in ignored
