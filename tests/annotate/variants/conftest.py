"""All pages are imported before a test registers anything: they must follow the registries."""

import config.urls  # noqa: F401
