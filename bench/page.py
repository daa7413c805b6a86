"""How soon an annotator can begin, and what is sent for it: python bench/page.py

A phone with a slow processor (Chromium, 390 px, processor slowed down fourfold, nothing cached)
opens the example page of each instrument, which is its work page without the lease. Ready means
that the first radio button is drawn and the page's script has started.
"""

import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("DEBUG", "true")

RUNS = 7
SLOWER = 4
READY = """() => document.querySelector("input[type=radio]") &&
  document.querySelector(".crit[data-current]") ? performance.now() : 0"""


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args: Any) -> None:
        pass


@contextmanager
def served() -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a fresh database; yields the address and a path for each instrument."""
    import django

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    django.setup()
    from django.test.utils import setup_databases, setup_test_environment, teardown_databases

    setup_test_environment()
    old = setup_databases(verbosity=0, interactive=False)
    try:
        from config.wsgi import application

        paths = examples()
        with make_server("localhost", 0, application, handler_class=Quiet) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://localhost:{server.server_port}", paths
            server.shutdown()
    finally:
        teardown_databases(old, verbosity=0)


def examples() -> dict[str, str]:
    from annotate import tokens
    from tests.browser.answers import participant
    from tests.factories import campaign

    made = {"language_quality": campaign(), "answer_correctness": participant().campaign}
    return {name: f"/work/preview/{tokens.invitation_token(one.pk)}/" for name, one in made.items()}


def measure(browser: Any, url: str) -> tuple[float, Counter[str], int]:
    """Return milliseconds until ready, bytes by kind, and the number of requests."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(url)
    ready = page.wait_for_function(READY, polling=5).json_value()
    page.wait_for_load_state("networkidle")
    sizes: Counter[str] = Counter()
    for answer in answers:
        sizes[answer.request.resource_type] += len(answer.body())
    context.close()
    return float(ready), sizes, len(answers)


def main() -> None:
    from playwright.sync_api import sync_playwright

    from tests import chromium

    with served() as (base, paths), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.flags()
        )
        print(f"{'instrument':<20} {'ready':>8} {'worst':>8} {'requests':>9}  kB: all, by kind")
        for name, path in paths.items():
            runs = [measure(browser, base + path) for _ in range(RUNS)]
            times = [ready for ready, _sizes, _n in runs]
            _ready, sizes, n = runs[-1]
            kinds = ", ".join(f"{kind} {size / 1000:.1f}" for kind, size in sizes.most_common())
            print(
                f"{name:<20} {statistics.median(times):>5.0f} ms {max(times):>5.0f} ms {n:>9}  "
                f"{sum(sizes.values()) / 1000:.1f}: {kinds}"
            )
        browser.close()


if __name__ == "__main__":
    main()
