"""JSON of the API: read by the product's one parser, never by the framework's."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from annotate.text.json_text import NotJson, parse


class JsonParser(BaseParser):
    """Takes UTF-8 whatever the request calls its encoding: JSON has no other."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return parse(stream.read())
        except NotJson as error:
            raise ParseError(str(error)) from None
