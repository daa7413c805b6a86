"""What a comparison of two systems needs of a plan and its file."""

from annotate.errors import Invalid
from annotate.instruments import pairs
from annotate.services.campaigns.importing.facts import MOST_COMPARED, Facts
from annotate.services.campaigns.importing.pairs import names
from annotate.services.campaigns.importing.problems import Problems
from annotate.services.campaigns.plans import Plan
from estimation.metrics import find

MARKED = f"the output contains {pairs.MARK.strip()}, which stands between two texts here."


def facts(plan: Plan, found: Facts, problems: Problems) -> Facts:
    """Return the facts of every two systems; note the rows that cannot be compared.

    Raises `Invalid` for a file or a plan that compares nothing.
    """
    if found.pairs is None:
        raise Invalid(
            {
                "instrument": f"A comparison takes 2 to {MOST_COMPARED} systems; the file has "
                f"{found.n_systems}."
            }
        )
    if not found.pairs.n_rows:
        raise Invalid(
            {"instrument": "There is nothing to compare: no item has two different texts."}
        )
    _check_metrics(plan)
    names([one.name for one in found.systems])
    marked = found.pairs.marked
    problems.lacking(marked.lines, marked.count, MARKED, found.unit)
    return found.of_pairs(found.pairs)


def _check_metrics(plan: Plan) -> None:
    for name in plan.metrics:
        metric = find(name)
        if metric is not None and metric.needs == "others":
            raise Invalid(
                {
                    "metrics": f"“{name}” compares a text with those of all other systems. A "
                    "comparison of two takes metrics of one text each."
                }
            )
