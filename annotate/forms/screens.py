"""The form of the screens' settings, made from their declaration."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.screening.screens import SCREENS, DescribedSetting, groups
from annotate.services.reasons import LONGEST_REASON

LABELS = {
    "flags.off": "Switched-off checks",
    "flags.list_only": "Screens that list people and never pause them",
    "flags.listed": "Share of honest people who may be listed",
    "flags.paused": "Share of honest people who may be paused",
    "flags.recent": "Last judgments that screens also look at alone",
    "signals.inserted": "Shortest edit that is looked at, in new characters",
    "signals.untyped": "Share of edits typed less than half",
    "signals.level": "Confidence",
    "signals.variation": "Least variation of times",
    "signals.away": "Share of tasks left for another window",
    "signals.chance": "Chance of taking two people for one",
    "gold.slips": "Share of items that people miss who work with care",
    "gold.level": "Confidence",
    "gold.minimum": "Fewest answers",
    "gold.doubtful": "Share of the others who miss an item that is then not used",
    "gold.others": "Answers of others before an item is doubted",
    "signals.on": "Count signals of the page, and tell annotators so where they join",
}


class ScreensForm(forms.Form):
    """All settings of the screens; a field is named by its path, such as `timing.share`."""

    use_required_attribute = False

    reason = forms.CharField(
        label="Why",
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self,
        *args: Any,
        in_use: Mapping[str, Mapping[str, Any]],
        may_change: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        for group in groups():
            for one in group.settings:
                self.fields[one.path] = _field(one, in_use[one.group][one.name])
                self.fields[one.path].disabled = not may_change

    @property
    def parts(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """Return each group with its fields."""
        return [(group, [self[one.path] for one in group.settings]) for group in groups()]

    @property
    def settings(self) -> dict[str, dict[str, Any]]:
        """Return what a valid form says: group -> name -> value."""
        return {
            group.name: {one.name: self.cleaned_data[one.path] for one in group.settings}
            for group in groups()
        }


def _field(one: DescribedSetting, now: Any) -> forms.Field:
    told: dict[str, Any] = {"label": LABELS.get(one.path, one.label), "initial": now}
    if one.kind is bool:
        return forms.BooleanField(required=False, help_text=one.about, **told)
    if one.kind is tuple:
        names = [(key, screen.reviewers.title) for key, screen in SCREENS.items()]
        return forms.MultipleChoiceField(
            choices=names, required=False, widget=forms.CheckboxSelectMultiple, **told
        )
    ends: dict[str, Any] = {"min_value": one.low, "max_value": one.high}
    hint = " ".join(filter(None, (one.about, one.within)))
    if one.kind is int:
        return forms.IntegerField(**ends, help_text=hint, **told)
    told["initial"] = int(now) if now == int(now) else now
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(**ends, help_text=hint, widget=widget, **told)
