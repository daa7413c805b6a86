"""Pictures of the stages of a walk, where PICTURES names a folder: both layouts, both themes."""

import os
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.viewport import resize

PICTURES = os.environ.get("PICTURES", "")


def picture(page: Page, name: str) -> None:
    if not PICTURES:
        return
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        resize(page, width, 844)
        page.wait_for_timeout(300)
        page.screenshot(path=Path(PICTURES) / f"{name}-{scheme}-{width}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    resize(page, 1280, 800)
