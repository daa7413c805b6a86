"""All texts of an item on one page: which order an annotator sees them in.

The order depends on the person and the outputs alone, so it is the same after a reload, in a
correction and in the query that leases the next text.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import md5

from annotate.instruments.base import Material, TextBeside


def place(annotator_id: int, output_id: int) -> str:
    """Return what an annotator’s texts are sorted by, as in the query of a lease."""
    return md5(str(output_id * annotator_id).encode(), usedforsecurity=False).hexdigest()


def with_others(material: Material, others: Sequence[str]) -> Material:
    """Return an example with other texts after its own."""
    rated = TextBeside(material.text, is_rated=True)
    return replace(material, side_by_side=(rated, *map(TextBeside, others)))
