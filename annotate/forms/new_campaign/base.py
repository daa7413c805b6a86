"""What the steps of a new campaign share: each shows a part of a plan, and changes that part."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.utils import timezone

from annotate.forms.new_campaign.choices import CURRENCY, HINTS, usual_fees
from annotate.selectors.work.gold import USUAL
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.plans import Plan


class StepForm(forms.Form):
    """One step. Its form is filled from a plan, and returns the plan with its own part changed."""

    use_required_attribute = False  # the server reports missing values of all fields at once
    # Fields of a plan that go by another name here; errors are told beside the form's field.
    told_at: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        plan: Plan,
        facts: Facts | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        """plan: before this step. facts: of its file; None until that was read.

        initial: what the fields show in place of the plan's values.
        """
        self.before, self.facts = plan, facts
        super().__init__(data, files, initial={**self.shown(plan), **(initial or {})})
        limit = settings.UPLOAD_LIMIT // 1024**2
        for name in HINTS.keys() & self.fields.keys():
            self.fields[name].help_text = HINTS[name].format(
                zone=timezone.get_current_timezone_name(),
                limit=limit,
                fees=usual_fees(),
                currency=CURRENCY,
                usual=USUAL,
            )

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        """Return what the fields of this step show for a plan."""
        raise NotImplementedError

    def changes(self) -> dict[str, Any]:
        """Return this step's part of the plan. Call it on a valid form."""
        raise NotImplementedError

    def plan(self) -> Plan:
        """Return the plan with what was entered. Call it on a valid form."""
        return replace(self.before, **self.changes())

    def tell(self, errors: Mapping[str, str]) -> None:
        """Show each problem of the plan next to its field, or above all fields."""
        for name, message in errors.items():
            field = self.told_at.get(name, name)
            self.add_error(field if field in self.fields else None, message)


def as_shown(plan: Plan, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in names}


def in_percent(share: float) -> str:
    """Return a share as it is typed: `12.5`, `25`."""
    return f"{share * 100:.1f}".removesuffix(".0")
