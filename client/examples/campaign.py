"""From a file to a campaign that collects, and its estimates so far.

    PLUMBLINE_URL=https://plumbline.example.org PLUMBLINE_TOKEN=... \
        python campaign.py outputs.jsonl "News, autumn"
"""

import sys
from pathlib import Path

from plumbline_client import Plumbline, Refused


def main(file: str, name: str) -> int:
    with Plumbline() as plumbline:
        try:
            made = plumbline.create(name, Path(file), targets={"overall": 0.4}, reward="0.40")
        except Refused as refused:
            print(refused)
            return 1
        plumbline.open(made.id)
        print(f"{made.name}: {made.planned} judgments planned")
        for one in plumbline.estimates(made.id):
            print(one.system, one.criterion, one.estimate, one.low, one.high)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
