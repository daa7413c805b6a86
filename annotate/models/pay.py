"""Money: a ledger of rows that are added, never edited (rule 5)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.annotators import Participation
from annotate.models.base import Fact, new_public_id, newest_of_campaign
from annotate.models.campaigns import Campaign
from annotate.models.work import Assignment


class LedgerEntry(Fact):
    """An amount that became due to a participation, or was taken back (negative), with the fee."""

    class Kind(models.TextChoices):
        REWARD = "reward"
        TUTORIAL = "tutorial", "tutorial passed"
        FAILED_TRY = "failed_try", "tutorial tried and not passed"
        BONUS = "bonus", "extra bonus"
        REFUSAL = "refusal", "pay refused"
        REINSTATEMENT = "reinstatement", "refused pay restored"
        COMPENSATION = "compensation", "late work that no longer counts"
        REMAINDER = "remainder", "rest of the pay that was announced"
        LAPSE = "lapse", "work that was never handed in at the crowd"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="ledger", db_index=False)
    participation = models.ForeignKey(Participation, models.PROTECT, related_name="ledger")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="ledger")
    ruling = models.ForeignKey(  # that refused or restored this pay
        "annotate.Ruling", models.PROTECT, null=True, related_name="ledger"
    )
    kind = models.CharField(max_length=20, choices=Kind)
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    fee = models.DecimalField(max_digits=10, decimal_places=2)
    key = models.CharField(max_length=80, unique=True)  # the reason; one row for each
    reason = models.TextField(blank=True)  # of a person's decision; the annotator reads it
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            newest_of_campaign("ledger_newest"),
            models.Index(  # of few rows: rewards are not in it
                fields=["participation"], condition=Q(kind="tutorial"), name="ledger_tutorial"
            ),
        ]


class PayoutList(Fact):
    """All amounts due when a pay-out by hand was prepared. They do not change afterwards."""

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="payout_lists")
    rows = models.JSONField()  # [[participation id, amount as text], …]
    people = models.PositiveIntegerField(default=0, db_default=0)  # how many rows
    amount = models.DecimalField(max_digits=12, decimal_places=2, default=0, db_default=0)
    seen = models.BigIntegerField()  # the last pay-out that its amounts include; 0: none
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT)
    at = models.DateTimeField(auto_now_add=True)


class Payout(Fact):
    """A payment to a participation, by hand or by its crowd; a negative one undoes it."""

    participation = models.ForeignKey(Participation, models.PROTECT, related_name="payouts")
    listed = models.ForeignKey(PayoutList, models.PROTECT, null=True, related_name="payouts")
    entry = models.OneToOneField(  # the ledger row that this bonus paid
        LedgerEntry, models.PROTECT, null=True, related_name="payout"
    )
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    key = models.CharField(max_length=80, unique=True)  # the reason; one row for each
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    at = models.DateTimeField(auto_now_add=True)
