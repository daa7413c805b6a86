"""Large form files in the temporary folder, which may be full."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler

from annotate.errors import ServiceError

logger = logging.getLogger(__name__)


class NoRoom(ServiceError):
    """The server has no room for this file now."""

    status = 413  # according to RFC 9110: larger than the server is able to process
    code = "no_room"

    def __init__(self, error: OSError) -> None:
        logger.error("An upload found no room in the temporary folder: %s", error)
        super().__init__(
            "The server has no room for a file of this size at the moment. Nothing was stored. "
            "Try again later, or tell the administrator of this Plumbline."
        )


class RoomyUploadHandler(TemporaryFileUploadHandler):
    """Reports a full folder as such, in every view alike."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        with self._finding_room():
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        with self._finding_room():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        with self._finding_room():
            return super().file_complete(file_size)

    @contextmanager
    def _finding_room(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if begun := getattr(self, "file", None):
                with suppress(OSError):  # the part in memory finds no room either
                    begun.close()
            raise NoRoom(error) from None
