"""How pages and the export grow with the judgments of a campaign.

`python -m bench.growth [judgments …]` makes a campaign of each size, opens the pages of its owner
and a reviewer, and takes the export. ms: wall time of the second opening, with the processor time
in units of `bench.unit` beside it; queries: SQL statements of the largest; growth: time at the
largest size over that at the smallest. Floors: every page ≤ 500 ms at 200,000 judgments.
"""

import sys
from collections.abc import Callable

from bench.database import Taken, prepare, taken
from bench.unit import unit

SIZES = (5_000, 50_000, 200_000)


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    prepare()
    from django.test.utils import setup_test_environment

    setup_test_environment()  # requests of the test client have its host
    found: dict[str, list[Taken]] = {}
    units = []
    for size in sizes:
        units.append(unit())
        for name, act in acts(size).items():
            act()
            found.setdefault(name, []).append(taken(act))
    heads = [f"{size:,}: ms (units)" for size in sizes]
    print(f"| what | {' | '.join(heads)} | queries | growth |")
    print("|---|" + "--:|" * (len(sizes) + 2))
    for name, row in found.items():
        cells = [
            f"{wall * 1000:,.0f} ({cpu / one:.2f})"
            for (wall, cpu, _n), one in zip(row, units, strict=True)
        ]
        growth = row[-1][0] / row[0][0]
        print(f"| {name} | {' | '.join(cells)} | {row[-1][2]} | {growth:.1f} × |")


def acts(size: int) -> dict[str, Callable[[], object]]:
    """Make a campaign of this size; return what is measured of it, by name."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from annotate.models import Annotator, Campaign, Membership
    from annotate.pay import work_times
    from bench import campaigns
    from estimation import export as archive

    made = Campaign.objects.get(pk=campaigns.judged(size))
    work_times.keep_due()  # as a worker has done where there are many judgments
    owner, _made = User.objects.get_or_create(username="bench")
    Membership.objects.create(campaign=made, user=owner, role="owner")
    client = Client(headers={"host": "localhost"})
    client.force_login(owner)
    who = Annotator.objects.filter(participations__campaign=made).first()
    assert who is not None

    def opened(address: str) -> Callable[[], object]:
        def act() -> None:
            answer = client.get(address)
            assert answer.status_code == 200, (address, answer.status_code)

        return act

    own = [made.public_id]
    pages = {
        "dashboard": reverse("estimation:dashboard", args=own),
        "report": reverse("estimation:report", args=own),
        "items": reverse("annotate:items", args=own),
        "people": reverse("annotate:people", args=own),
        "pay": reverse("annotate:pay", args=own),
        "reviews": reverse("annotate:reviews"),
        "one person's review": reverse("annotate:review", args=[*own, who.pseudonym]),
        "campaigns": reverse("annotate:campaigns"),
        "API: items": reverse("api-items", args=own),
        "API: estimates": reverse("api-estimates", args=own),
    }
    measured: dict[str, Callable[[], object]] = {name: opened(at) for name, at in pages.items()}
    measured["export"] = lambda: sum(map(len, archive.stream(made.public_id)))
    return measured


if __name__ == "__main__":
    main()
