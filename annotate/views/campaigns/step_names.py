"""The four steps of a new campaign, as the list above each of them."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

STEPS = {
    "file": "File",
    "questions": "Questions and metrics",
    "plan": "Plan",
    "people": "People and money",
}


@dataclass(frozen=True)
class StepLink:
    """One entry: address is "" where the step cannot be gone to from here."""

    key: str
    label: str
    number: int
    address: str
    is_done: bool
    is_here: bool


def steps(of: Any, here: str) -> list[StepLink]:
    """Return the steps, of an import or of a campaign that is not begun yet.

    here: the key of this step; "" after all of them.
    """
    done = of.steps_done if of else 0
    return [
        StepLink(
            key,
            label,
            number,
            _address(of, key) if of and number <= done + 1 else "",
            number <= done and key != here,
            key == here,
        )
        for number, (key, label) in enumerate(STEPS.items(), start=1)
    ]


def _address(of: Any, key: str) -> str:
    if key == "file":
        return f"{reverse('annotate:campaign-new')}?import={of.public_id}"
    return reverse("annotate:import-step", args=[of.public_id, key])


def address_after(of: Any, key: str) -> str:
    """Return the address of the next step; after the last, of the preview."""
    keys = list(STEPS)
    after = keys[keys.index(key) + 1 :]
    return _address(of, after[0]) if after else reverse("annotate:import", args=[of.public_id])


def address_before(of: Any, key: str) -> str:
    keys = list(STEPS)
    return _address(of, keys[keys.index(key) - 1])


def address_of_next(of: Any) -> str:
    """Return the next step of an import: the first that is not done, or the preview."""
    keys = list(STEPS)
    return address_after(of, keys[min(max(of.steps_done, 1), len(keys)) - 1])
