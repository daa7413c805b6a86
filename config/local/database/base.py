"""Django's Postgres backend, at the address that the folder records when it connects.

So a command that makes none starts no server.
"""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.conf import settings
from django.db.backends.postgresql import base

from config.local import folder


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        url = urlsplit(folder.database(settings.VAR_DIR))
        where = parse_qs(url.query)
        self.settings_dict |= {
            "HOST": where["host"][0],
            "PORT": where["port"][0],
            "PASSWORD": unquote(url.password or ""),
        }
        return super().get_connection_params()
