"""What it takes to read a whole campaign from Postgres and do one job with it.

Every line is a process of its own: its processor time (without that of Postgres), in units of
`bench.unit` too, and the most memory (VmHWM) that it has had. 4 systems, 4 criteria, a metric,
25 judgments a person. The import is `manage.py create_campaign` of as many outputs as there are
judgments, in a file of its own.

Run from the checkout: python -m bench.bulk.database [judgments …]
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.bulk.library import peak
from bench.unit import unit

SIZES = (100_000, 1_000_000)
BYTES_PER_OUTPUT = 550  # of a file with usual rows, see bench.bulk.importing


def screening(campaign_id: int) -> None:
    from annotate.models import Campaign
    from annotate.screening import screen_all
    from annotate.selectors.review import screening as selector

    columns = selector.columns(Campaign.objects.get(pk=campaign_id))
    assert columns is not None
    screen_all(columns)


def estimating(campaign_id: int) -> None:
    from annotate.selectors.campaigns import counting
    from estimation import data
    from estimation.core import estimate

    brief = counting.brief(campaign_id)
    for cell in data.cells(brief, counting.systems(campaign_id), data.see(brief)):
        estimate(cell.sample)


def comparing(campaign_id: int) -> None:
    from annotate.selectors.campaigns import counting
    from estimation import data
    from estimation.core import difference

    brief = counting.brief(campaign_id)
    for pair in data.pairs(brief, counting.systems(campaign_id), data.see(brief)):
        difference(*pair.samples)


def agreement(campaign_id: int) -> None:
    from annotate.selectors.campaigns import counting
    from estimation.services import agreement as service

    brief = counting.brief(campaign_id)
    for shared in service._columns_due(brief, counting.scores(campaign_id)):
        service._row(brief, shared, excluded=0)


def exporting(campaign_id: int) -> None:
    from annotate.models import Campaign
    from estimation.exporting import archive

    for _ in archive.stream(Campaign.objects.get(pk=campaign_id).public_id):
        pass


def importing(outputs: int) -> None:
    from django.core.management import call_command

    from bench.bulk.importing import write

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outputs.jsonl"
        write(file, outputs * BYTES_PER_OUTPUT // 1024**2, "usual")
        options = {"targets": [("overall", 0.2)], "metric": ["repetition"], "stdout": io.StringIO()}
        began = time.process_time()
        call_command("create_campaign", str(file), name=f"Bench {outputs}", **options)
        print(f"(the import alone: {time.process_time() - began:.1f} s)", file=sys.stderr)


JOBS: dict[str, Callable[[int], None]] = {
    "screens": screening,
    "16 balanced estimates": estimating,
    "6 comparisons of systems": comparing,
    "agreement on 4 criteria": agreement,
    "export": exporting,
    "import": importing,
}


def main() -> None:
    from bench.database import prepare

    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    prepare()
    from bench import campaigns

    print("| judgments or outputs | what | processor s | units | MB at most |")
    print("|---" * 5 + "|")
    place = {**os.environ, "PYTEST_XDIST_WORKER": "bench"}  # the servers run already
    for size in sizes:
        campaign_id = campaigns.judged(size)
        for job in JOBS:
            about = str(size if job == "import" else campaign_id)
            command = [sys.executable, "-m", "bench.bulk.database", "one", job, about, str(size)]
            subprocess.run(command, check=True, env=place)


def one(job: str, about: int, size: int) -> None:
    import django

    django.setup()
    fixed, began = unit(), time.process_time()
    JOBS[job](about)
    taken = time.process_time() - began
    print(f"| {size:,} | {job} | {taken:.1f} | {taken / fixed:.0f} | {peak():.0f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
