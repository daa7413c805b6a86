"""Reads all that must not change as plain data, with what is random or of a day made neutral."""

import csv
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.core.management import call_command, get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.regex_helper import normalize

from tests.golden import seams
from tests.golden.filling import Filled
from tests.upgrade import saying

# Fields of rows whose values are drawn at random, or come from a stand-in.
RANDOM = {"public_id", "pseudonym", "receipt", "external_id", "unit", "token", "key"}
LEAST = 6  # characters of such a value; what is shorter may be any word
MONTHS = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
CLOCK = r"(,? (at )?\d\d?:\d\d)?"
NEUTRAL = (
    (r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", "<time>"),
    (rf"\b\d{{1,2}} {MONTHS}\b( \d{{4}})?{CLOCK}", "<time>"),
    (rf"\b{MONTHS} \d{{1,2}}\b(, \d{{4}})?{CLOCK}", "<time>"),
    (r"(/work/(?:join|p|on/\w+|preview|batch)/)[\w:.=-]{16,}", r"\1<token>"),
    (r"(https?://)?(localhost|127\.0\.0\.1)(:\d+)?", "<site>"),
)
# Rows are told by their order in their campaign; the numbers of Postgres may have gaps.
NUMBERED = {
    "judgment": "Judgment",
    "judgments": "Judgment",  # in lists; otherwise it is a count
    "supersedes": "Judgment",
    "output": "Output",
    "estimates": "Estimate",
    "comparisons": "Comparison",
    "evidence": "DecisionEvidence",
}
UNSAID = {"id", "revision", "sha256", "bytes", "made_with", "seen", "next", "previous"}
ENDPOINTS = (
    "", "judgments/", "items/", "outputs/", "annotators/", "exclusions/", "gold/", "gold/people/",
    "estimates/", "agreement/", "sensitivity/", "comparisons/", "ranking/", "decisions/",
    "activity/", "screens/", "texts/", "accounts/", "payouts/", "batches/", "operations/",
    "units-in-doubt/", "report/",
)  # fmt: skip
# Pages of a campaign; their addresses take its name alone. The last ones are of few campaigns.
PAGES = (
    "", "report/", "people/", "pay/", "batches/", "items/", "numbers/", "activity/", "payments.csv",
)  # fmt: skip
MORE_PAGES = (
    "systems/", "report.tex", "report.bib", "batches/new/", "items/1/", "items/1/metrics/", "gold/",
    "screens/", "texts/", "members/", "notifications/", "budget/", "pay/give/", "judgments.csv",
)  # fmt: skip
THOROUGHLY = ("reviewed", "mturk", "draft")
OWN_PAGES = (
    "/",
    "/reviews/",
    "/instruments/",
    "/plan/",
    "/account/",
    "/campaigns/new/",
    "/estimates/at-target/",
)


class Neutral:
    """Replaces random values by names that are the same in every run."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.ranks: dict[str, dict[str, int]] = {}
        for name in ("Annotator", "Campaign", "Participation", "Batch", "Posting", "PayoutList",
                     "Operation", "Import", "Review"):  # fmt: skip
            self._learn(name)
        for name in set(NUMBERED.values()):
            seen: dict[int, int] = {}
            ranks = self.ranks[name] = {}
            for pk, campaign in seams.rows(name).values_list("pk", "campaign"):
                ranks[str(pk)] = seen[campaign] = seen.get(campaign, 0) + 1
        longest = sorted(self.names, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest)))

    def _learn(self, name: str) -> None:
        try:
            fields = RANDOM & {one.attname for one in seams.model(name)._meta.concrete_fields}
        except LookupError:
            return
        for n, row in enumerate(seams.rows(name), start=1):
            for one in sorted(fields):
                value = str(getattr(row, one) or "")
                if len(value) >= LEAST and not value.startswith(("gift", "00000000", "A0000000")):
                    self.names.setdefault(value, f"<{name} {n} {one}>")

    def text(self, text: str) -> str:
        text = self._known.sub(lambda found: self.names[found[0]], text)
        for pattern, word in NEUTRAL:
            text = re.sub(pattern, word, text)
        return text

    def data(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            kept = {self.text(k): self.data(v, k) for k, v in value.items() if k not in UNSAID}
            return dict(sorted(kept.items()))
        if isinstance(value, list):
            return [self.data(one, f"{key} " if key == "judgments" else key) for one in value]
        if key != "judgments" and (name := NUMBERED.get(key.strip())):
            ranks, told = self.ranks[name], str(value)
            if re.fullmatch(r"\d+( \+ \d+)*", told):
                return re.sub(r"\d+", lambda found: str(ranks.get(found[0], found[0])), told)
        return self.text(value) if isinstance(value, str) else value


def everything(filled: Filled) -> Iterator[tuple[str, Any]]:
    """Yield the name of each record and what it holds."""
    neutral = Neutral()
    yield "api", filled.ada.get("/api/v1/schema/").content.decode().splitlines()
    yield "addresses", sorted(set(_addresses(get_resolver().url_patterns, "", "/")))
    yield "commands", dict(_helps())
    yield "audit", [neutral.data(_audited(row)) for row in seams.rows("AuditEntry")]
    yield "tables", saying.counts()
    for name, public_id in filled.campaigns.items():
        if name != "draft":
            yield f"{name}-export", neutral.data(_export(public_id))
        yield f"{name}-api", neutral.data(dict(_answers(filled, name)))
        yield f"{name}-money", saying.money(public_id)
        yield f"{name}-pages", dict(_pages(filled, name, neutral))
    yield "own-pages", dict(_own_pages(filled, neutral))
    yield "worker-pages", {name: shown(page, neutral) for name, page in filled.pages.items()}


def _audited(row: Any) -> dict[str, Any]:
    campaign = row.campaign.name if row.campaign else None
    actor = row.actor.username if row.actor else None
    told = {"verb": row.verb, "subject": row.subject, "detail": row.detail}
    return {"campaign": campaign, "actor": actor, **told}


def _helps() -> Iterator[tuple[str, list[str]]]:
    ours = ("annotate", "estimation", "config", "extras")
    with patch.dict(os.environ, COLUMNS="100"):
        for name, app in sorted(get_commands().items()):
            if str(app).split(".")[0] in ours:
                parser = load_command_class(str(app), name).create_parser("manage.py", name)
                yield name, parser.format_help().splitlines()


def _addresses(patterns: list[Any], space: str, before: str) -> Iterator[str]:
    for one in patterns:
        route = before + normalize(one.pattern.regex.pattern)[0][0]
        if isinstance(one, URLResolver):
            inner = f"{one.namespace}:" if one.namespace else space
            yield from _addresses(one.url_patterns, inner, route)
        elif isinstance(one, URLPattern):
            verbs = " ".join(sorted(getattr(one.callback, "actions", None) or ()))
            yield f"{route}  {space}{one.name or ''}  {verbs}".rstrip()


def _export(public_id: str) -> dict[str, Any]:
    """Return the files of an export as rows, and what `verify` says about it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.zip")
        call_command("export", public_id, to=path, stdout=StringIO())
        found: dict[str, Any] = {"verify": saying.verified(public_id)}
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                found[re.sub(r"^[^/]+/(?=.)", "", name)] = _file(name, archive.read(name).decode())
    return found


def _file(name: str, text: str) -> Any:
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text)))
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    if name.endswith(".json"):
        return json.loads(text)
    return "a picture" if name.endswith(".svg") else text.splitlines()


def _answers(filled: Filled, name: str) -> Iterator[tuple[str, Any]]:
    for path in ENDPOINTS:
        url = f"/api/v1/campaigns/{filled.campaigns[name]}/{path}"
        answer = filled.ada.get(url, {"page_size": 500} if path else {})
        if answer.status_code == 400:
            answer = filled.ada.get(url)
        yield f"GET {path}", [answer.status_code, answer.json()]
    for one in filled.of(name, "annotators/")["results"]:
        case = f"reviews/{one.get('annotator') or one.get('pseudonym')}/"
        if name == "reviewed":
            yield f"GET {case}", filled.of(name, case)


def _pages(filled: Filled, name: str, neutral: Neutral) -> Iterator[tuple[str, Any]]:
    at = f"/campaigns/{filled.campaigns[name]}/"
    for path in PAGES:
        yield path, _page(filled, at + path, neutral)
    if name in THOROUGHLY:
        for path in MORE_PAGES:
            yield path, _page(filled, at + path, neutral)
        public_id = filled.campaigns[name]
        for one in (
            seams.rows("Annotator").filter(participations__campaign__public_id=public_id).distinct()
        ):
            path = f"/reviews/{public_id}/{one.pseudonym}/"
            yield f"review of {one.external_id}", _page(filled, path, neutral)
        for made in seams.rows("PayoutList").filter(campaign__public_id=public_id):
            yield f"list {made.pk}", _page(filled, f"{at}pay/lists/{made.public_id}/", neutral)


def _own_pages(filled: Filled, neutral: Neutral) -> Iterator[tuple[str, Any]]:
    for path in OWN_PAGES:
        yield path, _page(filled, path, neutral)


def _page(filled: Filled, path: str, neutral: Neutral) -> Any:
    answer = filled.ada.get(path)
    if answer.status_code != 200:
        return answer.status_code
    content = b"".join(answer) if answer.streaming else answer.content
    return shown(content.decode(), neutral)


def shown(page: str, neutral: Neutral) -> list[str]:
    """Return the lines of a page without its markup, scripts, styles and drawings."""
    page = re.sub(r"<(script|style|svg|template)\b.*?</\1>", " ", page, flags=re.DOTALL)
    page = re.sub(
        r"</?(p|div|h\d|li|tr|td|th|dt|dd|section|form|option|label|main|br)\b[^>]*>", "\n", page
    )
    page = unescape(re.sub(r"<[^>]*>", " ", page))
    lines = (" ".join(line.split()) for line in neutral.text(page).splitlines())
    return [line for line in lines if line]
