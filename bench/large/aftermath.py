"""What followed the judgments of a campaign: lists to pay by, reviews, exclusions."""

import json
from dataclasses import asdict

from annotate.models import (
    Appeal,
    Exclusion,
    Flag,
    LedgerEntry,
    Payout,
    PayoutList,
    Review,
    Ruling,
    Slot,
)
from annotate.screening import Verdict
from bench.large.cloning import Cloner, run
from bench.large.sizes import Size

LISTS = 4
PAID_UNTIL = 0.6  # of the campaign's life: what was earned later is due
# Of every ten reviews: 0–3 wait, 4–6 are cleared, 7–9 excluded, of which 9 without pay.
EVERY = 20  # person is reviewed
KIND = f"(t / {EVERY}) % 10"


def fill(made: Cloner, size: Size, owner: int) -> None:
    _payouts(made, size, owner)
    _reviews(made, size, owner)


def _payouts(made: Cloner, size: Size, owner: int) -> None:
    """Write lists that were paid, each of what was earned in a part of the campaign's life."""
    for n in range(LISTS):
        first, last = (size.at(str(PAID_UNTIL * i / LISTS)) for i in (n, n + 1))
        since = "'-infinity'" if n == 0 else first
        amounts = (
            f"SELECT participation_id AS p, SUM(amount) AS due FROM {LedgerEntry._meta.db_table} "  # noqa: S608
            f"WHERE campaign_id = {{base}} AND at >= {since} AND at < {last} GROUP BY p ORDER BY p"
        )
        made.run(
            f"INSERT INTO {PayoutList._meta.db_table} (id, public_id, campaign_id, rows, seen, "  # noqa: S608
            f"actor_id, people, amount, at) SELECT {{base}} + {n}, substr(md5('list' || ({{base}} + {n})), 1, 10), "
            "{base}, COALESCE(jsonb_agg(jsonb_build_array(p, due::text)), '[]'), "
            f"COALESCE((SELECT MAX(id) FROM {Payout._meta.db_table}), 0), {owner}, COUNT(*), "
            f"COALESCE(SUM(due), 0), {last} FROM ({amounts}) AS due"
        )
        made.run(
            f"INSERT INTO {Payout._meta.db_table} (id, participation_id, listed_id, amount, key, "  # noqa: S608
            f"actor_id, at) SELECT {{base}} + {n * size.people} + p - {{base}}, p, {{base}} + {n}, "
            f"due, 'list:' || ({{base}} + {n}) || ':' || p, {owner}, {last} + interval '1 hour' "
            f"FROM ({amounts}) AS due"
        )


def _reviews(made: Cloner, size: Size, owner: int) -> None:
    """Let screens flag every twentieth person who judged, and reviewers rule on most of them."""
    people = f"FROM generate_series(0::bigint, {size.people - size.idle - 1}) AS n(t) WHERE t % {EVERY} = 11"
    status = f"CASE WHEN {KIND} < 4 THEN 'open' WHEN {KIND} < 7 THEN 'cleared' ELSE 'excluded' END"
    opened = size.at("0.97")
    ruled = f"CASE WHEN {KIND} < 4 THEN NULL ELSE {size.at('0.99')} END"
    made.run(
        f"INSERT INTO {Review._meta.db_table} (id, campaign_id, annotator_id, status, pay_refused, "
        f"opened_at, ruled_at) SELECT {{base}} + t, {{base}}, {{base}} + t, {status}, {KIND} = 9, "
        f"{opened}, {ruled} {people}"
    )
    _flags(made, size, people)
    act = f"CASE WHEN {KIND} < 7 THEN 'clear' ELSE 'exclude' END"
    _rulings(made, size, owner, f"0, {{base}} + t, {act}", f"{people} AND {KIND} >= 4")
    _rulings(made, size, owner, "1, {base} + t, 'refuse'", f"{people} AND {KIND} = 9")
    _exclusions(made)
    made.run(
        f"INSERT INTO {Appeal._meta.db_table} (id, review_id, text, made_at, due_at, answer, "
        "own_ruling) SELECT {base} + t, {base} + t, 'I read every text twice.', now(), "
        f"now() + interval '7 days', '', false {people} AND {KIND} = 8"
    )


def _rulings(made: Cloner, size: Size, owner: int, what: str, source: str) -> None:
    """Write rulings; what: number, review and act."""
    made.run(
        f"INSERT INTO {Ruling._meta.db_table} (id, review_id, act, actor_id, reason, at, blind, late) "
        f"SELECT {{base}} + 2 * t + {what}, {owner}, 'It was faster than reading takes.', {size.at('0.99')}, "
        f"false, false {source}"
    )


def _flags(made: Cloner, size: Size, people: str) -> None:
    for n, (screen, some) in enumerate((("too_fast", "true"), ("low_agreement", "t % 3 = 0"))):
        stored = asdict(Verdict(screen, 0, True, 0.4, 0.3, 0.5, 0.2, 25, True))
        run(
            f"INSERT INTO {Flag._meta.db_table} (id, review_id, screen, verdict, at, tier, arming) "
            f"SELECT {made.base} + 2 * t + {n}, {made.base} + t, %s, %s, {size.at('0.97')}, "
            "'pause', 0 " + people.replace("%", "%%") + f" AND {some}".replace("%", "%%"),
            [screen, json.dumps(stored)],
        )


def _exclusions(made: Cloner) -> None:
    """Take the excluded people's work out of the slots, and the last of them their pay."""
    theirs = (
        f"SELECT j.id, j.assignment_id, r.id AS review, j.annotator_id FROM annotate_judgment AS j "  # noqa: S608
        f"JOIN {Review._meta.db_table} AS r ON r.annotator_id = j.annotator_id "
        "WHERE j.campaign_id = {base} AND r.campaign_id = {base} AND r.status = 'excluded'"
    )
    made.run(
        f"INSERT INTO {Exclusion._meta.db_table} (id, judgment_id, ruling_id) "  # noqa: S608
        f"SELECT id, id, {{base}} + 2 * (review - {{base}}) FROM ({theirs}) AS theirs"
    )
    made.run(
        f"UPDATE {Slot._meta.db_table} SET assignment_id = NULL WHERE campaign_id = {{base}} "  # noqa: S608
        f"AND assignment_id IN (SELECT assignment_id FROM ({theirs}) AS theirs)"
    )
    made.run(
        f"INSERT INTO {LedgerEntry._meta.db_table} (id, campaign_id, participation_id, ruling_id, "  # noqa: S608
        "kind, amount, fee, key, reason, at) SELECT {base} + 6000000 + e.participation_id - {base}, "
        "{base}, e.participation_id, u.id, 'refusal', -SUM(e.amount), 0, 'ruling:' || u.id || ':' "
        f"|| e.participation_id, u.reason, u.at FROM {LedgerEntry._meta.db_table} AS e "
        f"JOIN {Ruling._meta.db_table} AS u ON u.review_id = e.participation_id AND u.act = 'refuse' "
        "WHERE e.campaign_id = {base} AND e.kind = 'reward' AND NOT EXISTS (SELECT 1 FROM "
        f"{Payout._meta.db_table} AS p WHERE p.participation_id = e.participation_id) "
        "GROUP BY e.participation_id, u.id, u.reason, u.at"
    )
