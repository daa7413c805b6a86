"""A campaign by link: its outputs, people, judgments and pay, and what reviewers did."""

from annotate.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Authorship,
    Campaign,
    Feedback,
    Item,
    Judgment,
    LedgerEntry,
    Output,
    Participation,
    Score,
    Slot,
    System,
    Target,
    TutorialRun,
)
from bench.large.cloning import Cloner
from bench.large.sizes import SYSTEMS, Size
from bench.large.templates import WHICH
from estimation.models import Agreement, Comparison, Estimate, MetricScore

HEX = "translate(substr(md5('{kind}' || ({{base}} + t)), 1, 10), '01', 'xy')"
OWN = "{base} + t"


def fill(made: Cloner, size: Size, *, name: str, status: str, estimates: int) -> None:
    """Write a campaign of this size, and so many estimates of each system."""
    _campaign(made, size, name, status)
    _outputs(made, size)
    _people(made, size)
    _work(made, size)
    _pay(made, size)
    _estimates(made, size, estimates)


def _campaign(made: Cloner, size: Size, name: str, status: str) -> None:
    changes = {
        "public_id": HEX.format(kind="campaign"),
        "name": f"'{name}'",
        "status": f"'{status}'",
        "created_at": f"{size.opened} - interval '1 hour'",
        "opened_at": size.opened if status != "draft" else "NULL",
        "closed_at": "now()" if status in ("closed", "archived") else "NULL",
        "tutorial_required": "true",
        "close_reason": "'target'" if status in ("closing", "closed", "archived") else "''",
    }
    made.clone(Campaign, 1, changes)
    made.clone(System, SYSTEMS, which="t")
    made.clone(Target, 1)


def _outputs(made: Cloner, size: Size) -> None:
    item = f"{{base}} + t / {SYSTEMS}"
    made.clone(Item, size.items, {"key": "'item-' || t", "position": "t"})
    digest = "encode(sha256(('output' || ({base} + t))::bytea), 'hex')"
    made.clone(Output, size.outputs, {"item_id": item, "digest": digest})
    system = f"{{base}} + t % {SYSTEMS}"
    author = {"item_id": item, "output_id": OWN, "system_id": system}
    made.clone(Authorship, size.outputs, author)
    # A metric that follows the scores a little.
    value = "(t * 7919 % 3) + (t * 104729 % 1000) / 500.0"
    made.clone(MetricScore, size.outputs, {"output_id": OWN, "value": value})


def _people(made: Cloner, size: Size) -> None:
    person = {
        "external_id": "'person' || t || '@panel-' || {base} || '.example'",
        "pseudonym": HEX.format(kind="person"),
        "created_at": size.entered_at,
        "name_small": "''",
        "name_large": "''",
        "holds_name": "false",
    }
    made.clone(Annotator, size.people, person)
    entered = {
        "annotator_id": OWN,
        "entered_at": size.entered_at,
        "verified_at": size.entered_at,
    }
    made.clone(Participation, size.people, entered)
    passed = {
        "annotator_id": OWN,
        "participation_id": OWN,
        "started_at": size.entered_at,
        "passed_at": f"{size.entered_at} + interval '1 minute'",
    }
    made.clone(TutorialRun, size.people, passed)
    some = f"t % 20 = 3 AND t < {size.people}"
    said = {"participation_id": OWN, "comment": "CASE WHEN t % 40 = 3 THEN row.comment ELSE '' END"}
    made.clone(Feedback, size.people, {**said, "at": "now()"}, where=some)


def _work(made: Cloner, size: Size) -> None:
    person, at = f"{{base}} + {size.person}", size.judged_at
    begun = f"{at} - (40 + t * 31 % 500) * interval '1 second'"
    work = {"annotator_id": person, "output_id": size.output}
    lease = {
        "participation_id": person,
        "leased_at": begun,
        "started_at": begun,
        "expires_at": f"{at} + interval '30 minutes'",
        "ended_at": at,
    }
    made.clone(Assignment, size.judgments, work | lease)
    slot = {"output_id": size.output, "assignment_id": OWN, "position": size.position}
    made.clone(Slot, size.judgments, slot | {"number": size.number})
    _free_slots(made, size)
    sent = {"assignment_id": OWN, "submitted_at": at, "elapsed_seconds": "40 + t * 31 % 500"}
    made.clone(Judgment, size.judgments, work | sent, which=WHICH)
    fill_scores(made, size)
    audit = {"verb": "'submitted'", "subject": "'assignment:' || ({base} + t)", "actor_id": "NULL"}
    made.clone(AuditEntry, size.judgments, {**audit, "detail": "'{}'", "at": at})


def _free_slots(made: Cloner, size: Size) -> None:
    """Write the slots of outputs without a judgment: one each."""
    first = size.judged_outputs
    slot = {
        "id": f"{{base}} + {size.judgments} + t",
        "assignment_id": "NULL",
        "number": "1",
        "output_id": f"{{base}} + {first} + t",
        "position": f"({first} + t) / {SYSTEMS}",
    }
    made.clone(Slot, size.outputs - first, slot)


def fill_scores(made: Cloner, size: Size) -> None:
    """Write each judgment's scores: those of the template's judgment that it copies."""
    source = Judgment.objects.filter(campaign=made.template).order_by("pk")
    ids = list(source.values_list("pk", flat=True))
    table, columns = Score._meta.db_table, "id, judgment_id, criterion, value, version"
    made.run(
        f"INSERT INTO {table} ({columns}) SELECT {{base}} + 8 * t + row.n, {{base}} + t, "  # noqa: S608
        "row.criterion, row.value, row.version "
        f"FROM generate_series(0::bigint, {size.judgments - 1}) AS n(t) JOIN (SELECT s.*, "
        f"ROW_NUMBER() OVER (PARTITION BY judgment_id ORDER BY id) - 1 AS n FROM {table} AS s) "
        f"AS row ON row.judgment_id = (ARRAY{ids})[1 + {WHICH}]"
    )


def _pay(made: Cloner, size: Size) -> None:
    person = f"{{base}} + {size.person}"
    reward = {
        "participation_id": person,
        "assignment_id": OWN,
        "key": "'assignment:' || ({base} + t)",
        "at": size.judged_at,
    }
    made.clone(LedgerEntry, size.judgments, reward)
    # The bonus for the tutorial: of everyone with three judgments or more.
    table = LedgerEntry._meta.db_table
    made.run(
        f"INSERT INTO {table} (id, campaign_id, participation_id, kind, amount, fee, key, reason, "  # noqa: S608
        f"at) SELECT {{base}} + {size.judgments} + participation_id - {{base}}, {{base}}, "
        "participation_id, 'tutorial', 0.75, 0, 'tutorial:' || participation_id || ':"
        f"{made.template.instrument}', '', MIN(at) + interval '1 hour' FROM {table} "
        "WHERE campaign_id = {base} GROUP BY participation_id HAVING COUNT(*) >= 3"
    )


def _estimates(made: Cloner, size: Size, count: int) -> None:
    """Write the history: each system and pair, on every criterion of the template."""
    criteria = sorted(
        {*Estimate.objects.filter(campaign=made.template).values_list("criterion", flat=True)}
    )
    n = len(criteria)
    criterion = f"(ARRAY{criteria})[(1 + t % {n})::int]"
    at = size.at(f"t::float / {max(1, count * n * SYSTEMS)}")
    same = {"criterion": criterion, "at": at}
    system = f"{{base}} + t / {n} % {SYSTEMS}"
    made.clone(Estimate, count * n * SYSTEMS, {**same, "system_id": system})
    pair = f"t / {n} % 6"
    two = {
        "first_id": f"{{base}} + (ARRAY[0,0,0,1,1,2])[(1 + {pair})::int]",
        "second_id": f"{{base}} + (ARRAY[1,2,3,2,3,3])[(1 + {pair})::int]",
    }
    at = size.at(f"t::float / {max(1, count * n * 6)}")
    made.clone(Comparison, count * n * 6, {**same, **two, "at": at})
    if Agreement.objects.filter(campaign=made.template).exists():
        made.clone(Agreement, n, {"criterion": criterion})
