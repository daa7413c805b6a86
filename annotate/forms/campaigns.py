"""The form of a new campaign. It checks the format; the services check the meaning."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget
from django.utils import timezone

from annotate.forms.campaign_choices import (
    BUILT_IN,
    CURRENCY,
    HINTS,
    NO_TUTORIAL,
    joined_names,
    main_criterion,
    metrics_offered,
    split_names,
    tutorials_offered,
    usual_fees,
)
from annotate.forms.campaign_fields import (
    DEFAULT_MARGIN,
    DEFAULT_SHARE,
    DEFAULTS,
    CampaignFields,
)
from annotate.instruments.base import Instrument
from annotate.screening.registry import SCREENS
from annotate.screening.settings import FLAGS
from annotate.screening.signals.settings import SIGNALS, signals_on
from annotate.selectors.studies import instruments
from annotate.selectors.work.gold import USUAL
from annotate.services.campaigns.metric_choice import AUTO, choice
from annotate.services.campaigns.plans import Plan
from annotate.states import MetricChoice, StopMode
from annotate.text.numerals import number
from estimation.metrics import METRICS


def _or(given: int | None, usual: int) -> int:
    return usual if given is None else given


class CampaignForm(CampaignFields):
    """One form for the files and the plan of a campaign."""

    def __init__(self, *args: Any, has_file: bool = False, **kwargs: Any) -> None:
        """has_file: the outputs were uploaded before, so the file field is optional."""
        super().__init__(*args, **kwargs)
        self.asked = self._asked()
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["outputs"].required = not has_file
        choice = self.fields["tutorial"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = tutorials_offered(self.asked)
        main = main_criterion(self.asked)
        for criterion in self.asked.criteria:
            wide = criterion.high - criterion.low
            for kind, share, most in (
                ("width", DEFAULT_SHARE, max(9.999, wide)),
                ("margin", DEFAULT_MARGIN, wide),
            ):
                self.fields[f"{kind}_{criterion.name}"] = forms.FloatField(
                    label=str(criterion.label or criterion.name),
                    required=False,
                    initial=f"{wide * share:.2f}" if criterion is main else None,
                    min_value=0.001,
                    max_value=most,
                    help_text=criterion.scale_text,
                    widget=forms.NumberInput(attrs={"step": "0.01", "min": "0.01"}),
                )
        limit = settings.UPLOAD_LIMIT // 1024**2
        for name, hint in HINTS.items():
            self.fields[name].help_text = hint.format(
                zone=timezone.get_current_timezone_name(),
                limit=limit,
                fees=usual_fees(),
                currency=CURRENCY,
                usual=USUAL,
            )

    def _asked(self) -> Instrument:
        """Return the chosen instrument. An unknown one is reported next to the field."""
        chosen = self.data.get("instrument") or self.get_initial_for_field(
            self.fields["instrument"], "instrument"
        )
        try:
            return instruments.named(chosen)
        except KeyError:
            return instruments.named(DEFAULTS.instrument)

    @property
    def metric_groups(self) -> list[tuple[str, list[BoundWidget]]]:
        """Return the boxes of `metric_names`, grouped under the headings of its choices."""
        boxes = iter(self["metric_names"])
        return [(group, [next(boxes) for _ in names]) for group, names in metrics_offered()]

    @property
    def width_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("width_")]

    @property
    def margin_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("margin_")]

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        named = given.get("metric_choice") == MetricChoice.NAMED
        if named and "metric_names" in given and not self.metrics:
            self.add_error("metric_names", "Choose at least one, or none above.")
        self._check_enough()
        return given

    def _check_enough(self) -> None:
        """What belongs to another mode is hidden, and not looked at."""
        asked, hidden = self.width_fields, [*self.margin_fields, self["planned_items"]]
        needed = "Give at least one criterion a target width, such as 0.20."
        if self.is_ranking:
            asked, hidden = self.margin_fields, self.width_fields
            needed = "Give at least one criterion a margin, such as 0.20."
        for field in hidden:
            self.errors.pop(field.name, None)
        if not any(f.name in self.errors for f in asked) and not (self.targets or self.margins):
            self.add_error(asked[0].name, needed)

    @property
    def is_ranking(self) -> bool:
        return bool(self.cleaned_data.get("stop_mode") == StopMode.RANKING)

    @property
    def targets(self) -> dict[str, float]:
        return {} if self.is_ranking else self._numbers("width_")

    @property
    def margins(self) -> dict[str, float]:
        return self._numbers("margin_") if self.is_ranking else {}

    def _numbers(self, prefix: str) -> dict[str, float]:
        """What was given for each criterion, under the names of the fields without `prefix`."""
        given = self.cleaned_data
        names = [name for name in self.fields if name.startswith(prefix)]
        return {n.removeprefix(prefix): given[n] for n in names if given.get(n) is not None}

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the chosen names, or `auto` alone."""
        given = self.cleaned_data
        if given["metric_choice"] != MetricChoice.NAMED:
            return (AUTO,) if given["metric_choice"] == MetricChoice.AUTO else ()
        columns = split_names(given.get("metric_columns", ""))
        return tuple(dict.fromkeys([*given["metric_names"], *columns]))

    def plan(self) -> Plan:
        """Return the plan of a valid form."""
        given = self.cleaned_data
        return Plan(
            name=given["name"],
            public_title=given["public_title"],
            public_about=given["public_about"],
            targets=self.targets,
            instrument=given["instrument"],
            language=given["language"],
            tutorial=given["tutorial"] != NO_TUTORIAL,
            tutorial_id=number(given["tutorial"]),
            tutorial_bonus=given["tutorial_bonus"],
            bonus_after=_or(given["bonus_after"], DEFAULTS.bonus_after),
            open_link_bonus=given["open_link_bonus"],
            metrics=self.metrics,
            crowd=given["crowd"] or DEFAULTS.crowd,
            fee_rate=None if given["fee"] is None else given["fee"] / 100,
            reward=given["reward"],
            budget=given["budget"],
            max_judgments=given["max_judgments"],
            deadline=given["deadline"],
            double_share=float(given["double_share"]) / 100,
            gold_share=given["gold_share"] or 0,
            annotator_cap=given["annotator_cap"],
            estimand=given["estimand"],
            level=float(given["level"]) / 100,
            stop_mode=given["stop_mode"],
            margins=self.margins,
            planned_items=given.get("planned_items") if self.is_ranking else None,
            contact=given["contact"],
            screening=_screening(given["flags_list_only"], given["signals"]),
        )


def _screening(list_only: bool, signals: bool) -> dict[str, dict[str, Any]]:
    """Return the settings of the screens that the form asks for; the others have their page."""
    found: dict[str, dict[str, Any]] = {}
    if list_only:
        found[FLAGS] = {"list_only": list(SCREENS)}
    if signals:
        found[SIGNALS] = {"on": True}
    return found


def _numbers(
    prefix: str, given: Mapping[str, float], instrument: Instrument
) -> dict[str, float | str]:
    """Return the fields of all criteria; of a mode that was not chosen, as they first are."""
    if not given:
        return {}
    return {f"{prefix}{one.name}": given.get(one.name, "") for one in instrument.criteria}


def initial_of(plan: Plan) -> dict[str, Any]:
    """Return the form's initial values for this plan."""
    instrument = instruments.named(plan.instrument)
    own = [name for name in plan.metrics if name not in (*METRICS, AUTO)]
    copied = (
        "name",
        "public_title",
        "public_about",
        "instrument",
        "language",
        "tutorial_bonus",
        "bonus_after",
        "open_link_bonus",
        "crowd",
        "reward",
        "budget",
        "max_judgments",
        "deadline",
        "annotator_cap",
        "gold_share",
        "estimand",
        "stop_mode",
        "planned_items",
        "contact",
    )
    return {
        **{name: getattr(plan, name) for name in copied},
        "flags_list_only": bool(plan.screening.get(FLAGS)),
        "signals": signals_on(plan.screening),
        **_numbers("width_", plan.targets, instrument),
        **_numbers("margin_", plan.margins, instrument),
        "tutorial": str(plan.tutorial_id or (BUILT_IN if plan.tutorial else NO_TUTORIAL)),
        "metric_choice": choice(plan.metrics),
        "metric_names": [name for name in plan.metrics if name in METRICS],
        "metric_columns": joined_names(own),
        "fee": None if plan.fee_rate is None else round(plan.fee_rate * 100, 2),
        "double_share": f"{plan.double_share * 100:.1f}".removesuffix(".0"),
        "level": f"{plan.level * 100:.1f}".removesuffix(".0"),
    }
