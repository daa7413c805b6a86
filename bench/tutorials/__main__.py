"""How many bots pass the built-in tutorials: each try is a new account, over HTTP to a web server.

`python -m bench.tutorials 1000` starts Postgres, Redis and gunicorn, makes that many tries of each
bot with each instrument, in up to two rounds, and prints a table. `python -m bench.tutorials 1000
answer_correctness` makes those of one instrument. Bots that remember have seen what was right in
1,000 accounts' first rounds before. Nobody answers a task, so no promised bonus becomes due. The
upper bound is Clopper and Pearson's, 95 % one-sided.
"""

import sys
from collections.abc import Iterator

from scipy.stats import beta

ACCOUNTS = 1000  # that a bot remembers
INSTRUMENTS = ("language_quality", "answer_correctness", "preference")


def main(tries: int, instruments: tuple[str, ...] = INSTRUMENTS) -> None:
    from bench.database import prepare

    prepare()
    from bench.tutorials.visits import web

    print("| instrument | bot | tries | passed | at most | tasks | promised | earned |")
    print("|---|---|--:|--:|--:|--:|--:|--:|", flush=True)
    with web() as address:
        for instrument in instruments:
            for line in measure(address, instrument, tries):
                print(line, flush=True)


def measure(address: str, instrument: str, tries: int) -> Iterator[str]:
    """Yield a line of the table for each bot."""
    from annotate.selectors.studies import tutorial_contents
    from bench.tutorials.bots import all_of
    from bench.tutorials.visits import Visits, make

    study = make(instrument)
    tutorial = tutorial_contents.of_campaign(study)
    assert tutorial is not None
    seed = 1 + INSTRUMENTS.index(instrument)
    for bot in all_of(tutorial, seed=seed, accounts=ACCOUNTS):
        visits = Visits(address, study, f"{instrument}-{bot.name}-")
        passed = sum(visits.make(n, bot) for n in range(tries))
        bound = beta.ppf(0.95, passed + 1, tries - passed) if passed < tries else 1.0
        yield (
            f"| {instrument} | {bot.name} | {tries:,} | {passed} ({passed / tries:.2%}) "
            f"| {bound:.2%} | {visits.tasks()} | ${visits.promised():.2f} | ${visits.earned():.2f} |"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, tuple(sys.argv[2:]) or INSTRUMENTS)
