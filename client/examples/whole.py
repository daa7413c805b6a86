"""From a file to the final numbers: prints the link for annotators, and waits until it stops.

    PLUMBLINE_URL=https://plumbline.example.org PLUMBLINE_TOKEN=... \
        python whole.py outputs.jsonl "News, autumn" results/

Results: `report.json`, and `export.zip`, which `plumbline verify export.zip` checks anywhere.
"""

import json
import sys
from pathlib import Path

from plumbline_client import Plumbline

WEEK = 7 * 24 * 3600.0  # seconds
PLAN = {"targets": {"overall": 0.9}, "reward": "0.40", "tutorial": False, "double_share": 0.0}


def main(file: str, name: str, folder: str) -> None:
    to = Path(folder)
    to.mkdir(exist_ok=True)
    with Plumbline() as plumbline:
        made = plumbline.create(name, Path(file), **PLAN)
        plumbline.open(made.id)
        print(plumbline.link(made.id), flush=True)
        closed = plumbline.wait_until_closed(made.id, timeout=WEEK, every=1.0)
        print(f"closed: {closed.close_reason}, {closed.judged} judgments, {closed.spent}")
        for one in plumbline.estimates(made.id):
            print(one.system, one.criterion, one.estimate, one.low, one.high)
        report = plumbline.told(made.id, "report")
        (to / "report.json").write_text(json.dumps(report), encoding="utf-8")
        plumbline.export(made.id, to / "export.zip")


if __name__ == "__main__":
    main(*sys.argv[1:4])
