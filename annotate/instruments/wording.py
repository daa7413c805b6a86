"""The type of texts that people read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Words = str | _StrPromise  # translated when it is shown
