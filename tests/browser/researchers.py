"""What tests of researchers' pages share."""

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from playwright.sync_api import Page

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport
from estimation.models import Estimate
from tests.factories import plan

WEIGHTS = {"balance": 0.16, "person_share": 0.08, "work_weighted_mean": 0.37}
PASSWORD = "long enough to be fine"


def sign_in(page: Page, base: str, who: User) -> None:
    """Give a browser somebody's session: the page of the log-in has tests of its own."""
    client = Client()
    client.force_login(who)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": base}])


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


def step(page: Page, button: str) -> None:
    """Leave a step of a new campaign by one of the buttons at its end, whatever it asks."""
    page.get_by_role("button", name=button).click()
    page.wait_for_load_state()
    anyway = page.get_by_role("button", name="Go on without changing it")
    if anyway.count():
        anyway.click()
        page.wait_for_load_state()


def through(page: Page) -> None:
    """Go from the second step of a new campaign to the preview, and change nothing."""
    for button in ("Next: plan", "Next: people and money", "Preview"):
        step(page, button)


def draft(owner: User) -> CampaignImport:
    """A new campaign after its first step; no worker has read its file."""
    row = b'{"item": "a", "system": "s", "output": "x"}'
    file = SimpleUploadedFile("outputs.jsonl", row)
    return imports.receive(plan(), file, owner_id=owner.pk, key="k", steps_done=1)
