"""Campaigns from their files: sending one, and waiting for what a worker reads."""

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote

from plumbline_client import keywords, rows
from plumbline_client.connection import Connection
from plumbline_client.errors import PlumblineError, Refused, row_problems
from plumbline_client.rows import Campaign, Import

OVER = ("done", "refused", "failed", "cancelled", "ready")  # an import that changes no more
Row = TypeVar("Row", Campaign, Import)


class Importing(Connection):
    """What makes campaigns, and waits for them."""

    def campaign(self, campaign: str) -> Campaign:
        return rows.campaign(self._at.get(path_of(campaign)))

    def create(
        self,
        name: str,
        outputs: str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
        wait: float = 600.0,
        progress: Callable[[Import], None] | None = None,
        **plan: Any,
    ) -> Campaign:
        """Import outputs as a campaign; it is a draft until `open`.

        outputs: a path of JSON lines, JSON, CSV, .xlsx or Parquet (.gz and .zip too), or rows with
        `item`, `system` and `output`, or of another form that files may have. Or several paths: a
        file for each system, also text files of one output a line, with source and reference.
        key: your own; the same request with the same key is done once. wait, progress: for a large
        file, which a worker reads, as in `wait_for_import`. plan: such as `reward="0.40"`,
        `targets={"overall": 0.2}`, `screening={"timing": {"share": 0.25}}`; the API’s description
        lists all. Raises TypeError for another keyword, `Refused` with the problems of the file or
        the plan.
        """
        keywords.check("create", plan, keywords.PLAN)
        body = {"name": name, "key": key or uuid.uuid4().hex, **plan}
        given = [outputs] if isinstance(outputs, str | Path) else list(outputs)
        if given and isinstance(given[0], str | Path):
            told = self._send_files(body, [Path(str(one)) for one in given])
        else:
            found = [dict(cast(Mapping[str, Any], row)) for row in given]
            told = self._at.post("campaigns/", {**body, "outputs": found})
        if "targets" in told:
            return rows.campaign(told)
        return self.wait_for_import(told["id"], wait=wait, progress=progress)

    def _send_files(
        self, body: Mapping[str, Any], paths: Iterable[Path], to: str = "campaigns/"
    ) -> Any:
        fields = {name: _field(value) for name, value in body.items() if value is not None}
        with ExitStack() as opened:
            files = [("file", (one.name, opened.enter_context(one.open("rb")))) for one in paths]
            return self._at.send_once(to, data=fields, files=files)

    def import_judgments(
        self,
        name: str,
        judgments: str | Path | Iterable[Mapping[str, Any]],
        *,
        chosen: str,
        outputs: int | None = None,
        scales: Iterable[str] = (),
        estimand: str = "population",
    ) -> Campaign:
        """Store judgments that were made elsewhere as a closed campaign; a worker estimates it.

        judgments: a path of CSV, JSON, .xlsx or Parquet, or rows, with `annotator`, `item`,
        `system`, `criterion`, `score`, and perhaps `time` and `group`. chosen: how the judged
        outputs were chosen, in a sentence. outputs: how many outputs each system had, if those that
        were judged are a random sample of them; otherwise there is no claim beyond these items.
        scales: of criteria that are not built in, such as `"style 1 5"`. Raises `Refused`.
        """
        body: dict[str, Any] = {
            "name": name,
            "chosen": chosen,
            "sample": "otherwise" if outputs is None else "random",
            "scales": list(scales),
            "estimand": estimand,
            **({} if outputs is None else {"outputs": outputs}),
        }
        if isinstance(judgments, str | Path):
            told = self._send_files(body, [Path(judgments)], "recorded/")
        else:
            told = self._at.post("recorded/", {**body, "judgments": [dict(j) for j in judgments]})
        return self.campaign(told["id"])

    def imports(self) -> Iterator[Import]:
        """Yield the account’s imports, the newest first."""
        return map(rows.import_, self._at.pages("imports/"))

    def imported(self, import_id: str) -> Import:
        return rows.import_(self._at.get(_import(import_id)))

    def cancel_import(self, import_id: str) -> Import:
        """Give up an import that is not a campaign yet; `Conflict` for any other."""
        return rows.import_(self._at.post(f"{_import(import_id)}cancel/"))

    def wait_for_import(
        self,
        import_id: str,
        *,
        wait: float = 600.0,
        every: float = 1.0,
        progress: Callable[[Import], None] | None = None,
    ) -> Campaign:
        """Return the campaign of an import once it exists.

        wait, every: seconds, in all and between two looks. progress: is given what each look found;
        what it raises ends the wait. Raises `Refused` with the problems of the file, and
        `TimeoutError` after `wait` seconds; the server goes on importing.
        """

        def look() -> Import:
            found = self.imported(import_id)
            if progress:
                progress(found)
            return found

        found = self._until(look, lambda one: one.status in OVER, wait=wait, every=every)
        if found.campaign:
            return self.campaign(found.campaign)
        refusal = found.data.get("refusal") or {}
        message = str(refusal.get("message") or f"The import is {found.status}.")
        raise Refused(message, status=422, code=found.status, problems=row_problems(refusal))

    def _until(
        self, look: Callable[[], Row], is_done: Callable[[Row], bool], *, wait: float, every: float
    ) -> Row:
        until = time.monotonic() + wait
        while not is_done(found := look()):
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"It is still {found.status} after {wait:g} seconds.")
            self._sleep(min(every, left))
        return found


def path_of(campaign: str) -> str:
    if not campaign:
        raise PlumblineError("Give the id of a campaign.")
    return f"campaigns/{quote(campaign, safe='')}/"


def _import(import_id: str) -> str:
    if not import_id:
        raise PlumblineError("Give the id of an import.")
    return f"imports/{quote(import_id, safe='')}/"


def _field(value: Any) -> Any:
    """Return a value as a form sends it: lists repeat their field, objects are JSON."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return list(value)
    return str(value)
