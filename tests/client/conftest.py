from collections.abc import Iterator
from typing import Any

import pytest
from plumbline_client import Plumbline

from annotate.accounts import tokens
from tests.factories import user


@pytest.fixture
def ada(live_server: Any, transactional_db: None) -> Iterator[Plumbline]:
    """A client of a researcher, of the real product over real HTTP."""
    token = tokens.make_by_password(user().pk)
    with Plumbline(live_server.url, token=token) as plumbline:
        yield plumbline
