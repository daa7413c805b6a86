"""All that annotators read: a browser that keeps every answer, and names that they must not see."""

import re
from typing import Any

from django.test import Client
from django.urls import get_resolver, resolve

# In every name that only researchers may read: of the campaign, its systems, its items, themselves.
SECRET = "zqx7w"
NAME = f"{SECRET} against our weak baseline"
WORK = "work/"


class Reader(Client):
    """Keeps what it was answered, headers too, and the names of the addresses that it asked."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.answers: list[tuple[str, str]] = []
        self.asked: set[str] = set()

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        path = request["PATH_INFO"]
        said = answer.content.decode() if not answer.streaming else ""
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.answers.append((f"{request['REQUEST_METHOD']} {path}", f"{headers}\n\n{said}"))
        self.asked.add(resolve(path).url_name)
        return answer

    def leaks(self) -> list[str]:
        """Return what told a secret name: the request, and the words around it."""
        around = re.compile(rf".{{0,60}}{SECRET}.{{0,40}}", re.IGNORECASE | re.DOTALL)
        return [
            f"{asked}: {found[0]!r}"
            for asked, said in self.answers
            if (found := around.search(said))
        ]


def addresses_of_annotators() -> set[str]:
    """Return the names of all addresses of annotators."""
    patterns = get_resolver("annotate.urls").url_patterns
    return {str(one.name) for one in patterns if str(one.pattern).startswith(WORK)}
