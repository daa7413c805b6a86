"""Step 1 of a new campaign: the files, their language, and a name."""

import uuid
from typing import Any

from django import forms

from annotate.forms.new_campaign.base import StepForm, as_shown
from annotate.services.campaigns.importing.fields import FIELDS, LONGEST_COLUMN
from annotate.services.campaigns.plans import Plan

LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
COLUMN = "column_"  # the prefix of the fields that say which column is which


class FileStep(StepForm):
    """What the systems wrote. `columns` says which column of the file is which, where it must."""

    # A form sent twice is one import; without a key, each request is a new import.
    key = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    outputs = forms.FileField(
        label="Outputs (JSON or CSV)",
        error_messages={
            "required": "Choose the file with the outputs.",
            "empty": "The file is empty. It needs one output of one system on each line.",
        },
    )
    metrics_file = forms.FileField(
        label="Metric values (CSV), if not in the outputs file", required=False
    )
    drop_metrics = forms.BooleanField(label="Without the metrics file", required=False)
    name = forms.CharField(
        label="Name", max_length=120, error_messages={"required": "Give the campaign a name."}
    )
    language = forms.RegexField(
        LANGUAGE,
        label="Language of the texts",
        max_length=12,
        error_messages={"invalid": "Give a code such as en, de or pt-BR."},
    )

    def __init__(
        self, *args: Any, has_file: bool = False, columns: dict[str, str] | None = None, **kw: Any
    ) -> None:
        """has_file: the outputs were uploaded before, so the file field is optional.

        columns: which column of an earlier upload is which.
        """
        super().__init__(*args, **kw)
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["outputs"].required = not has_file
        for name in FIELDS:
            self.fields[f"{COLUMN}{name}"] = forms.CharField(
                label=name,
                required=False,
                max_length=LONGEST_COLUMN,
                initial=(columns or {}).get(name, ""),
                widget=forms.TextInput(attrs={"list": "columns", "autocomplete": "off"}),
            )

    @classmethod
    def shown(cls, plan: Plan) -> dict[str, Any]:
        return as_shown(plan, ("name", "language"))

    def changes(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("name", "language")}

    @property
    def column_fields(self) -> list[forms.BoundField]:
        return [self[f"{COLUMN}{name}"] for name in FIELDS]

    @property
    def has_columns(self) -> bool:
        """Return whether some column was named, or named wrongly: then its part stands open."""
        return any(field.value() or field.errors for field in self.column_fields)

    def clean(self) -> dict[str, Any]:
        found = list(self.columns.values())
        if twice := [name for name in found if found.count(name) > 1]:
            self.add_error(None, f"The column “{twice[0]}” is named for two fields.")
        return self.cleaned_data

    @property
    def columns(self) -> dict[str, str]:
        """Return our name -> the file's column, for those that were named."""
        given = self.cleaned_data
        named = {name: given.get(f"{COLUMN}{name}", "") for name in FIELDS}
        return {name: column for name, column in named.items() if column}
