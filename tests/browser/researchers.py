"""What tests of researchers' pages share."""

from annotate.models import Campaign
from estimation.models import Estimate

WEIGHTS = {"balance": 0.16, "person_share": 0.08, "work_weighted_mean": 0.37}
PASSWORD = "long enough to be fine"


def estimated(made: Campaign, *criteria: str) -> None:
    """One estimate of each system on each criterion, all different."""
    systems = list(made.systems.order_by("pk"))
    Estimate.objects.bulk_create(
        Estimate(
            campaign=made,
            system=system,
            criterion=criterion,
            estimator="balanced",
            interval="two_way",
            estimand="population",
            metrics=[],
            level=0.95,
            estimate=0.1 + 0.03 * (7 * k % len(systems)) + 0.01 * c,
            low=0.1 + 0.03 * (7 * k % len(systems)) - 0.1 - 0.002 * k,
            high=0.1 + 0.03 * (7 * k % len(systems)) + 0.1 + 0.002 * k,
            width=0.2 + 0.004 * k,
            std_error=0.05,
            n_items=30 + k,
            n_population=60,
            n_judgments=40 + k,
            n_annotators=20,
            effective_annotators=18,
            detail={"at_target": k % 3 == 0} | WEIGHTS,
        )
        for c, criterion in enumerate(criteria)
        for k, system in enumerate(systems)
    )


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
