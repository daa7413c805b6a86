"""Ids of judgments in few bytes, and as runs of neighbours, which people can read."""

import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
KIND = "<i8"  # the same bytes on every machine


def packed(ids: Ints) -> bytes:
    """Return these (T,) ascending ids as compressed steps: about twelve kilobytes for a million."""
    return zlib.compress(np.diff(ids, prepend=0).astype(KIND).tobytes())


def unpacked(data: bytes | memoryview) -> Ints:
    """Return the ids that `packed` packed."""
    return np.cumsum(np.frombuffer(zlib.decompress(data), KIND), dtype=np.int64)


def runs(ids: Ints, among: Ints) -> list[list[int]]:
    """Return (R, 2) the first and last id of each run of neighbours within `among`.

    ids, among: ascending; `among` holds all of `ids`.
    """
    if not ids.size:
        return []
    place = among.searchsorted(ids)
    ends = np.flatnonzero(np.diff(place, append=place[-1] + 2) != 1)
    starts = np.concatenate(([0], ends[:-1] + 1))
    return [[int(first), int(last)] for first, last in zip(ids[starts], ids[ends], strict=True)]


def chosen(found: Iterable[Sequence[int]], among: Ints) -> NDArray[np.bool_]:
    """Return (T,) which of the ascending ids `among` lie in one of these runs."""
    within = np.zeros(among.size, dtype=bool)
    for first, last in found:
        within[among.searchsorted(first) : among.searchsorted(last, side="right")] = True
    return within
