"""What workers compute about a campaign because it would take too long for a page.

All of it can be thrown away.
"""

from django.db import models

from annotate.models.campaigns import Campaign, System
from annotate.states import ItemMeasure


class ItemOrder(models.Model):
    """The items that have a figure, in the order of it. A worker makes it; it can be thrown away.

    system: whose texts it is about, null for all. judgments: how many counted when it was made.
    positions: of the items, as little-endian int32, in order. figures: theirs, as little-endian
    float32.
    """

    Measure = ItemMeasure

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", db_index=False)
    system = models.ForeignKey(System, models.CASCADE, null=True, related_name="+")
    criterion = models.CharField(max_length=40)
    measure = models.CharField(max_length=12, choices=Measure)
    at = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    positions = models.BinaryField()
    figures = models.BinaryField()

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "measure", "criterion"], name="item_order_of_campaign")
        ]


class NextStep(models.Model):
    """What the dashboard of a collecting campaign advises, for lists; only derived.

    key: of the advice. waits: whether nothing has to be done. at: when it was looked at.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True)
    key = models.CharField(max_length=30)
    title = models.CharField(max_length=200)
    waits = models.BooleanField()
    at = models.DateTimeField()


class WorkTimes(models.Model):
    """How long people took in a large campaign, and how many people's judgments count.

    The numbers are those of `selectors.pay.work_times.TimesOfWork`. state: of the campaign before
    they were read, at `at`; took: seconds that it took to read them.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    state = models.CharField(max_length=80)
    at = models.DateTimeField()
    took = models.FloatField()
    seconds = models.FloatField(null=True)
    per_hour = models.FloatField(null=True)
    least_per_hour = models.FloatField(null=True)
    people = models.PositiveIntegerField()
    refused = models.PositiveIntegerField()
