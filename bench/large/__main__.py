"""Fill a large database once, and print how to reach it: python -m bench.large --help"""

import argparse
import time
from pathlib import Path

from bench.large import server

OWNER = "ada"
PASSWORD = "long enough to be fine"  # noqa: S105  (of a database without anything real)
TEMPLATES = 2  # campaigns whose rows are copied
REVIEWED = 50  # campaigns that have a reviewer
SPACING = 10_000_000  # between the ids of one campaign's rows and the next one's
STATES = ("open", "closed", "paused", "archived", "closing", "open", "draft")
LARGE, MARKET, REST = "Everything by link", "Everything on MTurk", "Small study {n}"


def main() -> None:
    options = _options()
    if options.stop:
        server.stop(options.folder)
        return
    name = f"large_{options.judgments}_{options.people}_{options.campaigns}"
    address = server.start(options.folder, name)
    server.use(address)
    if not is_filled(options.campaigns):
        fill(options.judgments, options.people, options.campaigns)
    print(f"DATABASE_URL='{address}'")
    print(f"# owner: {OWNER}, password: {PASSWORD}; reviewer: rita, the same password")


def _options() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    reader.add_argument("--folder", type=Path, default=server.FOLDER, help="of the server's data")
    reader.add_argument("--judgments", type=int, default=1_000_000, help="of the largest campaign")
    reader.add_argument("--people", type=int, default=40_000, help="who made them; at least 20")
    reader.add_argument("--campaigns", type=int, default=200, help="in all; at least 2")
    reader.add_argument("--stop", action="store_true", help="stop the server; its data stay")
    return reader.parse_args()


def is_filled(campaigns: int) -> bool:
    """Return whether all campaigns were written; `SystemExit` where only some were."""
    from annotate.models import Campaign

    found = Campaign.objects.count()
    if 0 < found < campaigns + TEMPLATES:
        raise SystemExit("An earlier run was interrupted: drop the database, and start again.")
    return found > 0


def fill(judgments: int, people: int, campaigns: int) -> None:
    """Write the rows: one campaign of this size by link, one on a marketplace, and small ones."""
    from annotate.services import totals
    from bench.large import cloning

    owner, reviewer = _people()
    for n, campaign in enumerate(_fill(judgments, people, campaigns, owner)):
        _let_in(campaign, owner, reviewer if n < REVIEWED else None)
        cloning.finish()
        totals.recount(campaign)
    cloning.run("VACUUM ANALYZE")


def _fill(judgments: int, people: int, campaigns: int, owner: int):  # type: ignore[no-untyped-def]
    from bench.large import aftermath, campaign, cloning, market, templates
    from bench.large.sizes import Size

    link, on_market = templates.link(), templates.market()
    for n in range(campaigns):
        cloning.without_checks()
        began, made = time.perf_counter(), cloning.Cloner(link, SPACING * (n + 1))
        if n == 0:
            size = Size(judgments, people)
            campaign.fill(made, size, name=LARGE, status="open", estimates=300)
            aftermath.fill(made, size, owner)
        elif n == 1:
            made.template = on_market
            market.fill(made, people, owner=owner, age=40)
        else:
            size, status = Size(20 + n * 7 % 180, 20, age=1 + n), STATES[n % len(STATES)]
            name = REST.format(n=n)
            campaign.fill(made, size, name=name, status=status, estimates=2)
        yield made.base
        if n < 2:
            print(f"# campaign {n + 1}: {time.perf_counter() - began:.0f} s", flush=True)


def _people() -> list[int]:
    from django.contrib.auth.models import User

    return [User.objects.create_user(name, password=PASSWORD).pk for name in (OWNER, "rita")]


def _let_in(campaign_id: int, owner: int, reviewer: int | None) -> None:
    from annotate.models import Membership

    Membership.objects.create(campaign_id=campaign_id, user_id=owner, role="owner")
    if reviewer is not None:
        Membership.objects.create(campaign_id=campaign_id, user_id=reviewer, role="reviewer")


if __name__ == "__main__":
    main()
