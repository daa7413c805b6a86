"""How long screening takes after one more judgment, and a reviewer's page, by size of campaign.

page: the first after a judgment; next: any other until there is one more.

Run from the checkout: python -m bench.reviewing [judgments …]
"""

import json
import sys
import time
from collections.abc import Callable
from statistics import median

from bench.database import prepare

SIZES = (10_000, 100_000)
BEST = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}
# Answers in the usual proportions of the released judgments: most are best in everything.
ANSWERS = [
    *[BEST] * 5,
    *[{"fluency": 0, "redundancy": 1, "overall": 0, "edit": "Better.", "distance": 12}] * 2,
    {"fluency": 1, "redundancy": -1, "overall": 0, "edit": "Shorter.", "distance": 40},
    {"fluency": -1, "redundancy": 1, "overall": -1, "edit": "New.", "distance": 80},
]


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    prepare()
    print("seconds")
    print(f"{'judgments':>10} {'state':>8} {'columns':>8} {'screens':>8} {'page':>8} {'next':>8}")
    for size in sizes:
        measure(size)


def measure(size: int) -> None:
    """Print the parts of one screening, and the page of one annotator."""
    from django.core.cache import cache
    from django.test import Client
    from django.urls import reverse

    from annotate.models import Annotator, Campaign, Membership
    from annotate.screening import screen_all
    from annotate.selectors.review import screening
    from bench import campaigns
    from tests.factories import user

    made = Campaign.objects.get(pk=campaigns.judged(size))
    vary(made.pk)
    owner = user(f"owner{size}")
    Membership.objects.create(campaign=made, user=owner, role="owner")
    client = Client(headers={"host": "localhost"})
    client.force_login(owner)
    who = Annotator.objects.filter(participations__campaign=made).first()
    assert who is not None
    columns = screening.columns(made)
    assert columns is not None
    page = reverse("annotate:review", args=[made.public_id, who.pseudonym])

    def first() -> None:
        cache.clear()
        client.get(page)

    parts: list[Callable[[], object]] = [
        lambda: screening.state(made.pk),
        lambda: screening.columns(made),
        lambda: screen_all(columns),
        first,
        lambda: client.get(page),
    ]
    times = [timed(part) for part in parts]
    print(f"{size:>10,} " + " ".join(f"{taken:>8.3f}" for taken in times))


def vary(campaign_id: int) -> None:
    """Let people answer differently: the clones of one judgment are all alike."""
    from django.db import connection

    turn = f"MOD(MOD(id * 7919, 10007), {len(ANSWERS)})"
    with connection.cursor() as cursor:
        for i, answer in enumerate(ANSWERS):
            cursor.execute(
                f"UPDATE annotate_judgment SET response = %s WHERE campaign_id = %s AND {turn} = {i}",  # noqa: S608
                [json.dumps(answer), campaign_id],
            )


def timed(act: Callable[[], object], repeats: int = 3) -> float:
    """Return the median time of one call, the first left out."""
    act()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        act()
        taken.append(time.perf_counter() - started)
    return median(taken)


if __name__ == "__main__":
    main()
