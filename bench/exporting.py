"""How much time and memory the export of a campaign takes in the web process that sends it.

Outputs have some 120 words, every third judgment an edit of as many: about what released news
summaries are like. RSS: the most memory that the web process has had (VmHWM), after its first
page and after the export. cpu: its processor time for the export; units: the same in those of
`bench.unit`, on the same machine in the same minute.

Run from the checkout: python -m bench.exporting [judgments …]
"""

import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.database import prepare
from bench.unit import unit

SIZES = (10_000, 100_000)
LIMIT = 200.0  # MB
SENTENCE = "The council of district {n} met on Monday, and its members spoke about the new bridge. "


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    prepare()
    print(
        f"{'judgments':>10} {'zip MB':>7} {'text MB':>8} {'s':>6} {'cpu s':>6} {'units':>6} {'RSS MB: at first':>17}"
        f" {'exported':>9}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            measure(size, Path(folder))


def measure(size: int, folder: Path) -> None:
    """Print what one export takes; raises where it takes more memory than is promised."""
    from annotate.models import Campaign
    from bench import campaigns

    made = Campaign.objects.get(pk=campaigns.judged(size))
    enlarge(made.pk)
    target = folder / f"{size}.zip"
    with web(folder) as (base, pid):
        headers = {"Authorization": f"Token {token(made)}"}
        fetch(f"{base}/api/v1/campaigns/", headers, folder / "first")
        before, used = peak(pid), cpu(pid)
        began = time.perf_counter()
        fetch(f"{base}/api/v1/campaigns/{made.public_id}/export/", headers, target)
        taken, after = time.perf_counter() - began, peak(pid)
        used = cpu(pid) - used
    with zipfile.ZipFile(target) as zipped:
        whole = sum(one.file_size for one in zipped.infolist()) / 1e6
    print(
        f"{size:>10,} {target.stat().st_size / 1e6:>7.1f} {whole:>8.0f} {taken:>6.1f} "
        f"{used:>6.1f} {used / unit():>6.0f} {before:>17.0f} {after:>9.0f}",
        flush=True,
    )
    if after >= LIMIT:
        raise SystemExit(f"{after:.0f} MB; {LIMIT:.0f} MB are promised.")


def enlarge(campaign_id: int) -> None:
    """Give outputs and edits the length of real ones, and each its own words."""
    from django.db import connection

    text = f"REPLACE(REPEAT('{SENTENCE}', 8), '{{n}}', id::text)"
    edit = f"""jsonb_build_object('fluency', 0, 'redundancy', 1, 'overall', 0, 'distance', 40,
        'edit', {text})"""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE annotate_output SET text = {text} WHERE campaign_id = %s",  # noqa: S608
            [campaign_id],
        )
        cursor.execute(
            f"UPDATE annotate_judgment SET response = {edit} WHERE campaign_id = %s AND id %% 3 = 0",  # noqa: S608
            [campaign_id],
        )


def token(made: object) -> str:
    from django.contrib.auth.models import User

    from annotate.models import Membership
    from annotate.services.accounts import api_tokens

    owner, _made = User.objects.get_or_create(username="bench")
    Membership.objects.create(campaign=made, user=owner, role="owner")
    return api_tokens.make_by_password(owner.pk)


@contextmanager
def web(folder: Path) -> Iterator[tuple[str, int]]:
    """Run one web process as in production; yields its address and its id."""
    from tests.processes import stack, wait_for
    from tests.servers import free_port, start_redis

    port = free_port()
    base = f"http://127.0.0.1:{port}"
    redis_url, redis = start_redis()
    try:
        with stack(folder, redis_url=redis_url, port=port) as processes:
            processes.start("web")
            wait_for(lambda: answers(f"{base}/healthz"))
            yield base, children(processes.running["web"].pid)[0]
    finally:
        redis.kill()


def answers(url: str) -> bool:
    import urllib3

    try:
        return urllib3.request("GET", url, retries=False, timeout=5).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def fetch(url: str, headers: dict[str, str], target: Path) -> None:
    import urllib3

    answer = urllib3.request(
        "GET", url, headers=headers, preload_content=False, retries=False, timeout=600
    )
    if answer.status != 200:
        raise SystemExit(f"{url} answers {answer.status}.")
    with target.open("wb") as file:
        for data in answer.stream(1 << 16):
            file.write(data)


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu(pid: int) -> float:
    """Return the processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(pid: int) -> float:
    """Return the most memory that a process has had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
