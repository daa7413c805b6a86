"""A campaign on a marketplace: batches with postings, paid units, and operations on the crowd."""

from annotate.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Authorship,
    Batch,
    Campaign,
    Item,
    Judgment,
    LedgerEntry,
    Operation,
    Output,
    Participation,
    Payout,
    Posting,
    Slot,
    System,
    Target,
)
from bench.large.campaign import HEX, OWN, fill_scores
from bench.large.cloning import Cloner
from bench.large.sizes import SYSTEMS, Size
from bench.large.templates import ANSWERS, WHICH
from estimation.models import MetricScore

TASKS = len(ANSWERS)  # of a unit
PLACES = 9  # of a posting
POSTINGS = 16  # of a batch
# Of every hundred units 0–1 are at work, 2 handed in, 3–9 confirmed, 10–11 rejected, 12–14 left.
UNIT = """CASE WHEN t % 100 < 2 THEN 'active' WHEN t % 100 < 3 THEN 'handed_in'
    WHEN t % 100 < 10 THEN 'confirmed' WHEN t % 100 < 12 THEN 'rejected'
    WHEN t % 100 < 15 THEN 'left' ELSE 'approved' END"""
DISPUTED = "t % 500 = 5"


def fill(made: Cloner, units: int, *, owner: int, age: int) -> None:
    """Write so many paid units, each by another person."""
    size = Size(units * TASKS, units, age)
    _campaign(made, size)
    _batches(made, size, owner)
    _units(made, size)
    _work(made, size)
    _pay(made, size, owner)
    _operations(made, size)


def _campaign(made: Cloner, size: Size) -> None:
    when = {"created_at": size.opened, "opened_at": size.opened}
    named = {"public_id": HEX.format(kind="campaign"), "name": "'Everything on MTurk'"}
    made.clone(Campaign, 1, {**when, **named})
    made.clone(System, SYSTEMS, which="t")
    made.clone(Target, 1)
    item, outputs = f"{{base}} + t / {SYSTEMS}", size.judgments
    made.clone(Item, outputs // SYSTEMS + 1, {"key": "'item-' || t", "position": "t"})
    digest = "encode(sha256(('output' || ({base} + t))::bytea), 'hex')"
    made.clone(Output, outputs, {"item_id": item, "digest": digest})
    author = {"item_id": item, "output_id": OWN, "system_id": f"{{base}} + t % {SYSTEMS}"}
    made.clone(Authorship, outputs, author)
    made.clone(MetricScore, outputs, {"output_id": OWN, "value": "t % 7"})


def _batches(made: Cloner, size: Size, owner: int) -> None:
    places, postings = PLACES * POSTINGS, -(-size.people // PLACES)
    batches = -(-postings // POSTINGS)
    at = size.at(f"t::float / {batches}")
    batch = {
        "public_id": HEX.format(kind="batch"),
        "places": str(places),
        "key": "'batch-' || ({base} + t)",
        "created_at": at,
        "created_by_id": str(owner),
        "terms": "jsonb_set(row.terms, '{title}', to_jsonb('Rate news, part ' || t + 1))",
    }
    made.clone(Batch, batches, batch)
    launched = {"verb": "'launch'", "actor_id": str(owner), "at": at}
    cost = f"jsonb_build_object('places', {places}, 'cost', '{places * TASKS * 0.4:.2f}')"
    subject = f"'batch:' || {HEX.format(kind='batch')}"
    made.clone(AuditEntry, batches, {**launched, "subject": subject, "detail": cost})
    closed = f"t < {postings * 9 // 10}"
    posting = {
        "batch_id": f"{{base}} + t / {POSTINGS}",
        "public_id": HEX.format(kind="posting"),
        "places": str(PLACES),
        "status": f"CASE WHEN {closed} THEN 'closed' ELSE 'open' END",
        "external_id": "'HIT-' || ({base} + t)",
        "expires_at": f"CASE WHEN {closed} THEN now() - interval '2 days' ELSE now() + interval '1 day' END",
        "looked_at": "now() - interval '3 minutes'",
        "available": "0",
        "pending": "0",
        "problem": "CASE WHEN t % 200 = 17 THEN 'The crowd has changed its title.' ELSE '' END",
    }
    made.clone(Posting, postings, posting)


def _units(made: Cloner, size: Size) -> None:
    at = size.at(f"t::float / {size.people}")
    person = {"external_id": "'A' || upper(substr(md5('worker' || ({base} + t)), 1, 13))"}
    person |= {"pseudonym": HEX.format(kind="worker"), "created_at": at}
    made.clone(Annotator, size.people, person)
    told = f"{DISPUTED}"
    unit = {
        "annotator_id": OWN,
        "posting_id": f"{{base}} + t / {PLACES}",
        "external_key": "'U-' || ({base} + t)",
        "status": UNIT,
        "entered_at": at,
        "verified_at": at,
        "handed_in_at": f"{at} + interval '20 minutes'",
        "submitted_at": f"{at} + interval '20 minutes'",
        "auto_approval_at": f"{at} + interval '7 days'",
        "problem": f"CASE WHEN {told} THEN 'It was handed in without its code.' ELSE '' END",
    }
    made.clone(Participation, size.people, unit)


def _work(made: Cloner, size: Size) -> None:
    person = f"{{base}} + t / {TASKS}"
    at = size.at(f"t::float / {size.judgments}")
    work = {"annotator_id": person, "output_id": OWN}
    lease = {"participation_id": person, "leased_at": at, "started_at": at, "ended_at": at}
    made.clone(Assignment, size.judgments, work | lease | {"expires_at": at})
    slot = {"output_id": OWN, "assignment_id": OWN, "position": f"t / {SYSTEMS}", "number": "1"}
    made.clone(Slot, size.judgments, slot)
    sent = {"assignment_id": OWN, "submitted_at": at, "elapsed_seconds": "40 + t * 31 % 500"}
    made.clone(Judgment, size.judgments, work | sent, which=WHICH)
    fill_scores(made, size)


def _pay(made: Cloner, size: Size, owner: int) -> None:
    person = f"{{base}} + t / {TASKS}"
    key = "'assignment:' || ({base} + t)"
    reward = {"participation_id": person, "assignment_id": OWN, "key": key}
    at = size.at(f"t::float / {size.judgments}")
    made.clone(LedgerEntry, size.judgments, {**reward, "at": at})
    made.run(
        f"INSERT INTO {Payout._meta.db_table} (id, participation_id, amount, key, at) "  # noqa: S608
        f"SELECT {{base}} + id - {{base}}, id, {TASKS * 0.4:.2f}, 'approve:' || id, submitted_at "
        f"FROM {Participation._meta.db_table} WHERE campaign_id = {{base}} AND status = 'approved'"
    )


def _operations(made: Cloner, size: Size) -> None:
    """Write what was done for each unit, and what was refused, is unclear or waits."""
    template = Posting.objects.filter(batch__campaign=made.template)[0]
    table = Operation._meta.db_table
    columns = (
        "id, campaign_id, batch_id, posting_id, participation_id, crowd, environment, kind, key, "
        "token, payload, status, attempts, created_at, due_at, done_at, claim, code, message"
    )
    status = """CASE WHEN t % 400 = 21 THEN 'refused' WHEN t % 400 = 22 THEN 'unclear'
        WHEN t % 400 = 23 THEN 'pending' ELSE 'done' END"""
    message = """CASE WHEN t % 400 IN (21, 22, 23) THEN 'The account holds too little money.'
        ELSE '' END"""
    made.run(
        f"INSERT INTO {table} ({columns}) SELECT {{base}} + t, {{base}}, {{base}} + t / "
        f"{PLACES * POSTINGS}, {{base}} + t / {PLACES}, {{base}} + t, 'mturk', "
        f"'{template.environment}', 'approve', 'approve:' || ({{base}} + t), "
        "'token-' || ({base} + t), '{}', " + f"{status}, 1, now(), now(), now(), '', '', {message} "
        f"FROM generate_series(0::bigint, {size.people - 1}) AS n(t) WHERE t % 100 >= 15"
    )
