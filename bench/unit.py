"""A fixed piece of pure-Python work, to carry measured times from one machine to another.

`python -m bench.unit` prints its processor time. Where a table says "12 units", that is twelve
times as long as this takes on the same machine in the same minute.
"""

import time
from collections import Counter

ROUNDS = 40_000


def work(rounds: int = ROUNDS) -> int:
    """Count words in made-up lines, sort them and put them together again."""
    seen: Counter[str] = Counter()
    total = 0
    for i in range(rounds):
        words = [f"w{(i * k) % 97}" for k in range(1, 9)]
        seen.update(words)
        total += len(" ".join(sorted(words)))
    return total + len(seen)


def unit(repeats: int = 3) -> float:
    """Return the processor seconds that the work takes: the least of a few runs."""
    return min(cpu(work) for _ in range(repeats))


def cpu(act, *arguments) -> float:  # type: ignore[no-untyped-def]
    """Return the processor seconds of one call."""
    began = time.process_time()
    act(*arguments)
    return time.process_time() - began


if __name__ == "__main__":
    print(f"{unit() * 1000:.0f} ms")
