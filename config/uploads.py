"""Large files of forms on their way through the temporary folder, which may be full."""

import logging
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler

from annotate.errors import ServiceError

logger = logging.getLogger(__name__)


class NoRoom(ServiceError):
    """The machine has no room for this file now."""

    status = 413  # as RFC 9110 has it: larger than the server is able to process
    code = "no_room"

    def __init__(self, error: OSError) -> None:
        logger.error("An upload found no room in the temporary folder: %s", error)
        super().__init__(
            "The server has no room for a file of this size at the moment. Nothing was stored. "
            "Try again later, or tell whoever runs this Plumbline."
        )


class RoomyUploadHandler(TemporaryFileUploadHandler):
    """Tells of a full folder as what it is, in every view alike."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        try:
            super().new_file(*args, **kwargs)
        except OSError as error:
            raise NoRoom(error) from None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        try:
            return super().receive_data_chunk(raw_data, start)
        except OSError as error:
            raise NoRoom(error) from None

    def file_complete(self, file_size: int) -> Any:
        try:
            return super().file_complete(file_size)
        except OSError as error:
            raise NoRoom(error) from None
