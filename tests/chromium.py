"""Finds a Chromium for the browser tests; `python -m tests.chromium` installs one if it can.

The headless shell is the same engine without the windows of a desktop around it: a new page takes
a third of the processor's time.
"""

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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
    if _as_root_on_debian():
        print("No Chromium found: installing Debian's package with apt-get")
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        if not _installed(SHELL):
            _installed("chromium", check=True)
    else:
        print("No Chromium found: asking Playwright for its own")
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def lighten() -> None:
    """Install the shell beside a whole Chromium where the system's own lists know it."""
    if "CHROMIUM" not in os.environ and not shutil.which(SHELL) and _as_root_on_debian():
        _installed(SHELL)


def _as_root_on_debian() -> bool:
    return os.geteuid() == 0 and bool(shutil.which("apt-get"))


def _installed(package: str, *, check: bool = False) -> bool:
    """Install one of Debian's packages; return whether it is there."""
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    quiet = None if check else subprocess.DEVNULL
    return not subprocess.run(command, check=check, stdout=quiet, stderr=quiet).returncode


if __name__ == "__main__":
    if executable():
        lighten()
    else:
        install()
    print(f"Browser tests use {executable()}")
