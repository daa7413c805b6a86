"""What tests of researchers' pages share."""

from annotate.models import Campaign
from estimation.models import Estimate

WEIGHTS = {"balance": 0.16, "person_share": 0.08, "work_weighted_mean": 0.37}
PASSWORD = "long enough to be fine"


def history(made: Campaign) -> None:
    """Estimates whose intervals shrink, as a campaign under way has them."""
    for n in range(10, 60):
        half = 1 / n**0.5
        Estimate.objects.bulk_create(
            Estimate(
                campaign=made,
                system=system,
                criterion="overall",
                estimator="balanced",
                interval="two_way",
                estimand="population",
                metrics=made.metrics,
                level=0.95,
                estimate=0.4,
                low=0.4 - half,
                high=0.4 + half,
                width=2 * half,
                std_error=half / 2,
                mean_estimate=0.4,
                mean_low=0.4 - 1.1 * half,
                mean_high=0.4 + 1.1 * half,
                n_items=n,
                n_population=60,
                n_judgments=n,
                n_annotators=20,
                effective_annotators=18,
                detail={"at_target": False} | WEIGHTS,
            )
            for system in made.systems.all()
        )
