"""Stores the orders of a campaign's items, all of one moment. Only `estimation` makes them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotate.models import ItemOrder
from annotate.states import ItemMeasure


@dataclass(frozen=True)
class NewOrder:
    """positions, figures: (n,), in order. system_id: None for the texts of all systems."""

    system_id: int | None
    criterion: str
    measure: ItemMeasure
    positions: NDArray[np.int64]
    figures: NDArray[np.float64]


def store(campaign_id: int, orders: Iterable[NewOrder], *, judgments: int) -> None:
    """Replace the campaign's orders by these; judgments: how many they rest on."""
    with transaction.atomic():
        ItemOrder.objects.filter(campaign=campaign_id).delete()
        for one in orders:
            ItemOrder.objects.create(
                campaign_id=campaign_id,
                system_id=one.system_id,
                criterion=one.criterion,
                measure=one.measure,
                judgments=judgments,
                positions=one.positions.astype("<i4").tobytes(),
                figures=one.figures.astype("<f4").tobytes(),
            )
