"""No barrier in any state of any page; with PICTURES set to a folder, a picture of each."""

import os
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests import chromium
from tests.browser.states import (
    STATES,
    State,
    Visitor,
    accounts,
    amended,
    answers,
    batches,
    experts,
    formatted,
    german,
    instruments,
    layout,
    listed,
    looking,
    market,
    notifications,
    numbers,
    pairs,
    pay,
    quality,
    ranked,
    recorded,
    researcher,
    reviews,
    tutorial,
    work,
)
from tests.browser.viewport import resize

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Importing them fills STATES.
ROOMS = (
    work,
    accounts,
    notifications,
    answers,
    german,
    tutorial,
    researcher,
    reviews,
    listed,
    looking,
    quality,
    ranked,
    recorded,
    experts,
    instruments,
    pairs,
    formatted,
    pay,
    batches,
    market,
    amended,
    layout,
    numbers,
)
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
THEMES = ("light", "dark")
LOOKS = (("wide", "light"), ("phone", "dark"))  # both layouts and both themes, once each
SETTLED = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame(); await frame();
  const seen = [...document.images].filter(image => image.checkVisibility());
  await Promise.all(seen.map(image => image.decode().catch(() => {})));
}"""
PICTURES = os.environ.get("PICTURES", "")


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_no_barrier_in(state: State, browser: Browser, live_server) -> None:
    # Axe is put into the page as a script; the pages' policy is tested elsewhere.
    context = browser.new_context(viewport=_size("wide"), bypass_csp=True)
    context.set_default_timeout(chromium.PATIENCE)
    # Also where the state is not reached: an open page goes on asking the server.
    with closing(context):
        page = context.new_page()
        visitor = Visitor(page, live_server.url)
        with visitor.staying:
            state.reach(visitor)
            for size, theme in LOOKS if not PICTURES else product(SIZES, THEMES):
                resize(page, **_size(size))
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                _look(page, state.name, size, theme)


def test_names_are_told_apart() -> None:
    names = [state.name for state in STATES]
    assert len(names) == len(set(names)) > 25


def _look(page: Page, name: str, size: str, theme: str) -> None:
    if PICTURES:
        path = Path(PICTURES) / f"{name}-{size}-{theme}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        page.evaluate(SETTLED)  # a plot of the other theme comes from the server first
        page.screenshot(path=path, full_page=True)
    if (size, theme) in LOOKS:
        found = Axe().run(page)
        assert found.violations_count == 0, f"{name}, {size}, {theme}: {found.generate_report()}"
    assert _overflow(page) <= 0, f"{name}, {size}: wider than the screen by {_overflow(page)} px"


def _overflow(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


def _size(name: str):
    width, height = SIZES[name]
    return {"width": width, "height": height}
