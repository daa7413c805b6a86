"""The size of a page's window."""

from playwright.sync_api import Page


def resize(page: Page, width: int, height: int) -> None:
    """Give the page this size and wait until its media queries see it.

    Chromium lays a page out anew a moment before media queries hear of the new width.
    """
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => innerWidth === width", arg=width)
