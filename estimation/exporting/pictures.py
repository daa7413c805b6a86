"""The pictures of the report as files of an export."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotate.selectors.campaigns import listing
from estimation.charts import compared as charts
from estimation.charts.narrowing import narrowing
from estimation.selectors import comparisons
from estimation.selectors.looks import compared

FOLDER = "pictures"
ABOUT = """Of each criterion with estimates, as SVG: `estimates-NAME.svg`, the intervals of all
systems on one scale, and `history-NAME.svg`, their widths as judgments came."""


def files(campaign: Any) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield each picture with its name."""
    facts = listing.facts(campaign)
    for criterion in facts.criterion_names:
        if rows := compared.estimates(facts, criterion, comparisons.USUAL):
            yield (
                f"{FOLDER}/estimates-{criterion}.svg",
                [_drawn(charts.forest(rows, title=criterion))],
            )
        if widths := compared.widths(facts, criterion):
            target = facts.targets.get(criterion)
            yield (
                f"{FOLDER}/history-{criterion}.svg",
                [_drawn(narrowing(widths, title=criterion, target=target))],
            )


def _drawn(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec)).encode()
