"""The forms that launch a batch. They check the format; the services check the meaning."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django import forms

from annotate.crowds.contract import Audience, Terms
from annotate.crowds.registry import CROWDS

MOST_PLACES = 10_000
COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)
LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
# The field at which a problem is shown if its part of a posting has no field.
BESIDE = {"audience": "countries", "reward": "tasks"}


class BatchForm(forms.Form):
    """`key` is made with the form, so sending the same form twice launches once."""

    use_required_attribute = False  # the server reports missing values of all fields at once

    key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    title = forms.CharField(label="Title", max_length=128)
    description = forms.CharField(
        label="Description",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What people read before they accept.",
    )
    keywords = forms.CharField(
        label="Keywords", required=False, max_length=1000, help_text="Separated by commas."
    )
    tasks = forms.IntegerField(
        label="Tasks in a submission",
        min_value=1,
        max_value=1000,
        help_text="Done one after the other.",
    )
    minutes = forms.DecimalField(
        label="Minutes a submission takes",
        min_value=Decimal("0.5"),
        max_value=1440,
        decimal_places=1,
        help_text="With all its tasks. People are told.",
    )
    places = forms.IntegerField(label="Places", min_value=1, max_value=MOST_PLACES)
    duration = forms.IntegerField(
        label="Minutes to finish a submission in",
        min_value=1,
        max_value=40_000,
        help_text="After that, its place is free again.",
    )
    lifetime = forms.DecimalField(
        label="Days the posting stays up",
        min_value=Decimal("0.1"),
        max_value=365,
        decimal_places=1,
        help_text="After that, no one new can accept it.",
    )
    approve_after = forms.DecimalField(
        label="Hours for reviewers",
        min_value=0,
        max_value=720,
        decimal_places=1,
        help_text="Then work not in doubt is approved.",
    )
    auto_approval = forms.DecimalField(
        label="Days until automatic approval by the crowd",
        min_value=Decimal("0.1"),
        max_value=30,
        decimal_places=1,
        help_text="After that no pay can be refused.",
    )
    countries = forms.CharField(
        label="Countries",
        required=False,
        max_length=400,
        help_text="Such as US, GB. Empty: everywhere.",
    )
    languages = forms.CharField(
        label="Languages",
        required=False,
        max_length=200,
        help_text="Such as en, de. Empty: any.",
    )
    approval_rate = forms.IntegerField(
        label="Approved at least, in %",
        required=False,
        min_value=0,
        max_value=100,
        help_text="Of earlier work there. Empty: any.",
    )
    approved_work = forms.IntegerField(
        label="Approved submissions at least",
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text="Of one person, there. Empty: any.",
    )
    sure = forms.BooleanField(required=False)

    def __init__(self, *args: Any, crowd: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in CROWDS[crowd].not_asked:
            del self.fields[name]
        for field in self.fields.values():  # a browser would silently cut values that are too long
            field.widget.attrs.pop("maxlength", None)

    def clean_title(self) -> str:
        return " ".join(self.cleaned_data["title"].split())

    def clean_keywords(self) -> tuple[str, ...]:
        return _listed(self.cleaned_data["keywords"])

    def clean_countries(self) -> tuple[str, ...]:
        codes = _listed(self.cleaned_data["countries"])
        return _checked(codes, COUNTRY, "a country: two letters, such as US", str.upper)

    def clean_languages(self) -> tuple[str, ...]:
        codes = _listed(self.cleaned_data["languages"])
        return _checked(codes, LANGUAGE, "a language: two or three letters, such as en", str.lower)

    def terms(self) -> Terms:
        """Return the terms of a valid form."""
        given = self.cleaned_data
        times = {
            "duration": timedelta(minutes=given["duration"]),
            "approve_after": _time(hours=given["approve_after"]),
        }
        for name in ("lifetime", "auto_approval"):
            if name in given:
                times[name] = _time(days=given[name])
        named = ("countries", "languages", "approval_rate", "approved_work")
        return Terms(
            title=given["title"],
            description=given["description"].strip(),
            keywords=given.get("keywords", ()),
            tasks=given["tasks"],
            minutes=float(given["minutes"]),
            audience=Audience(**{name: given[name] for name in named if name in given}),
            **times,
        )

    def tell(self, errors: Mapping[str, str]) -> None:
        """Show the problems of the crowd or the services next to their fields, or above all."""
        for name, message in errors.items():
            field = BESIDE.get(name, name)
            self.add_error(field if field in self.fields else None, message)

    @property
    def asked_times(self) -> list[forms.BoundField]:
        names = ("duration", "lifetime", "approve_after", "auto_approval")
        return [self[name] for name in names if name in self.fields]

    @property
    def asked_audience(self) -> list[forms.BoundField]:
        names = ("countries", "languages", "approval_rate", "approved_work")
        return [self[name] for name in names if name in self.fields]


class ExtendForm(forms.Form):
    key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    places = forms.IntegerField(label="Further places", min_value=1, max_value=MOST_PLACES)
    sure = forms.BooleanField(required=False)


def _time(*, days: Decimal = Decimal(0), hours: Decimal = Decimal(0)) -> timedelta:
    return timedelta(seconds=int(days * 86_400 + hours * 3600))


def _listed(text: str) -> tuple[str, ...]:
    """Return the parts between commas or on lines, without repetitions."""
    parts = (" ".join(part.split()) for part in re.split(r"[,;\n]", text))
    return tuple(dict.fromkeys(part for part in parts if part))


def _checked(
    codes: tuple[str, ...], shape: re.Pattern[str], what: str, spelt: Callable[[str], str]
) -> tuple[str, ...]:
    for code in codes:
        if not shape.fullmatch(spelt(code)):
            raise forms.ValidationError(f"“{code}” is not the code of {what}.")
    return tuple(spelt(code) for code in codes)
