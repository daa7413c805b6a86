"""Every verb that `annotate` writes into the log, read from their sources."""

import ast
from collections.abc import Iterator
from pathlib import Path

from annotate.campaigns import exports
from annotate.campaigns.exports import METRICS_BOUNDED
from annotate.models import LedgerEntry, Ruling
from annotate.studies import queries as studies_queries

SOURCES = Path(__file__).parents[3] / "annotate"
# Functions that write an entry, or hand its verb on: the first argument, or `verb`, is the verb.
WRITE = {"record", "record_each", "record_reason", "_move"}
WRITE |= {"_record", "_record_invitation", "_record_listing"}
HANDED_ON = {"_log"}  # (what it is about, the verb)
# What is no word in the source, by the file and the expression: its values.
VALUES = {
    ("campaigns/amendments.py", "TEXTS_AMENDED"): {studies_queries.AMENDED},
    ("campaigns/amendments.py", "METRICS_BOUNDED"): {METRICS_BOUNDED},
    ("campaigns/amendments.py", "AMENDED"): {exports.AMENDED},
    ("review/rulings.py", "act"): set(Ruling.Act.values),
    ("pay/payouts.py", "gift.kind.value"): {
        LedgerEntry.Kind.BONUS.value,
        LedgerEntry.Kind.COMPENSATION.value,
    },
    ("campaigns/members.py", "verb"): {"leave", "remove_member"},
    # Single things, which only a person's act brings into the feed.
    ("crowds/postings.py", "f'posting_{to}'"): set(),
    ("crowds/outbox.py", "op.kind"): set(),
    ("work/tutorial.py", "verb"): set(),
    # Routine, for every text and paid unit.
    ("work/slots.py", "to.value"): set(),
    ("work/participations.py", "f'participation_{to}'"): set(),
    # Of no campaign; and rows of a file, which are something else.
    ("campaigns/imports.py", "f'import_{to}'"): set(),
    ("campaigns/reading.py", "cells"): set(),
}
OF_NO_CAMPAIGN = {
    "define_instrument",
    "store_tutorial",
    "second_factor_on",
    "second_factor_off",
    "recovery_codes_renewed",
    "token_made",
    "token_revoked",
}
ROUTINE = {"participation_begun", "tutorial_round_failed", "tutorial_passed"}


def in_services() -> dict[str, str]:
    """Return each verb of a campaign's log, with the file that writes it."""
    found: dict[str, str] = {}
    for path in sorted(SOURCES.glob("*/*.py")):
        name = path.relative_to(SOURCES).as_posix()
        for verb in _in_file(path, name):
            found[verb] = name
    return {verb: at for verb, at in found.items() if verb not in OF_NO_CAMPAIGN | ROUTINE}


def _in_file(path: Path, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (given := _verb(node)) is not None:
            yield from _values(given, name)


def _verb(call: ast.Call) -> ast.expr | None:
    called = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    )
    named = next((word.value for word in call.keywords if word.arg == "verb"), None)
    if called in WRITE and (named or call.args):
        return named or (None if called == "_move" else call.args[0])
    return call.args[1] if called in HANDED_ON and len(call.args) > 1 else None


def _values(given: ast.expr, name: str) -> Iterator[str]:
    if isinstance(given, ast.Constant):
        yield given.value
        return
    said = ast.unparse(given)
    if said == "verb" and (name, said) not in VALUES:
        return  # a function of WRITE hands on what it was given
    assert (name, said) in VALUES, f"{name}: which verbs may “{said}” be?"
    yield from VALUES[name, said]
