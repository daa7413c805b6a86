"""Finds a Chromium for the browser tests; `python -m tests.chromium` installs one if it can."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 20_000  # milliseconds; only a test that fails, or a busy machine, needs them
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]


def executable() -> str | None:
    """Return the path of a system Chromium or of Playwright's own, if there is one."""
    given = os.environ.get("CHROMIUM")
    found = given or next(filter(None, map(shutil.which, NAMES)), None)
    return found or _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def flags() -> list[str]:
    """Return what Chromium is started with; as root it cannot use its sandbox."""
    return [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS


def install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("No Chromium found: installing Debian's package with apt-get")
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        subprocess.run(command, check=True)
    else:
        print("No Chromium found: asking Playwright for its own")
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    if not executable():
        install()
    print(f"Browser tests use {executable()}")
