"""The smaller forms of researchers. They check the format; the services check the meaning."""

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate.campaigns.plans import LONGEST as LONGEST_TEXTS
from annotate.campaigns.plans import LONGEST_ABOUT, LONGEST_TITLE
from annotate.common.audit import LONGEST_REASON
from annotate.common.numbers import unit_of_money
from annotate.models import LedgerEntry
from annotate.pay.payouts import LARGEST, LONGEST, LONGEST_KEY, Gift
from annotate.screening.screens import SCREENS, DescribedSetting, groups
from annotate.studies.queries import ReadTexts

MOST_NAMES, LONGEST_NAME = 500, 80
MOST_JSON = 250_000  # characters of an instrument or a tutorial


def text_field(label: str, longest: int, *, rows: int, **more: Any) -> forms.CharField:
    """Return a field for an optional text of several lines."""
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=longest, required=False, widget=widget, **more)


class ReasonForm(forms.Form):
    why = forms.CharField(
        label="Why",
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say why: the reason is kept in the log."},
    )


class ReleaseForm(ReasonForm):
    """Which expert is released, why, and who comes instead, if anybody."""

    name = forms.CharField(max_length=LONGEST_NAME, widget=forms.HiddenInput)
    replacement = forms.CharField(
        label="New expert (empty: the others go on)", max_length=LONGEST_NAME, required=False
    )


class NamesForm(forms.Form):
    names = forms.CharField(
        label="Names or codes, one per line",
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Type at least one name or code."},
    )

    def clean_names(self) -> list[str]:
        lines = (" ".join(line.split()) for line in self.cleaned_data["names"].splitlines())
        names = list(dict.fromkeys(line for line in lines if line))
        if len(names) > MOST_NAMES:
            raise ValidationError(f"At most {MOST_NAMES} names at once.")
        if too_long := [name for name in names if len(name) > LONGEST_NAME]:
            raise ValidationError(
                f"“{too_long[0][:30]}…” is longer than {LONGEST_NAME} characters."
            )
        return names


class DefinitionForm(forms.Form):
    """An instrument or a tutorial as JSON: a file, or its text."""

    use_required_attribute = False

    file = forms.FileField(label="A JSON file", required=False)
    definition = forms.CharField(
        label="Or its text",
        required=False,
        max_length=MOST_JSON,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 18, "spellcheck": "false", "autocapitalize": "off", "class": "code"}
        ),
    )

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        file = given.get("file")
        if file and file.size > MOST_JSON:
            self.add_error("file", f"The file is larger than {MOST_JSON // 1000} KB.")
        elif not file and not given.get("definition", "").strip() and not self.errors:
            self.add_error("definition", "Choose a file, or paste its text.")
        return given

    @property
    def text(self) -> str | bytes:
        """Return the file's content if there is a file, otherwise the pasted text."""
        file = self.cleaned_data["file"]
        return bytes(file.read()) if file else str(self.cleaned_data["definition"])


Kind = LedgerEntry.Kind
CHOICES = [
    (Kind.BONUS.value, "Bonus"),
    (Kind.COMPENSATION.value, "Compensation for work that could not be submitted"),
]


class GiftForm(forms.Form):
    """`key` is made with the form, so sending the same form twice pays once."""

    offer_beyond_budget = False

    kind = forms.ChoiceField(label="What", choices=CHOICES)
    annotator = forms.CharField(
        label="To whom",
        max_length=16,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "placeholder": "Annotator, as above",
            }
        ),
    )
    amount = forms.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        max_value=LARGEST,
        widget=forms.NumberInput(attrs={"inputmode": "decimal"}),
    )
    reason = forms.CharField(
        label="What for",
        max_length=LONGEST,
        help_text="The annotator reads it.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    beyond_budget = forms.BooleanField(
        label="Give it nevertheless, beyond the budget", required=False
    )
    key = forms.CharField(max_length=LONGEST_KEY, widget=forms.HiddenInput)

    def label_amount(self, currency: str) -> None:
        """Say in which currency the amount is entered: that of the campaign."""
        self.fields["amount"].label = f"Amount, in {unit_of_money(currency)}"

    def gift(self) -> Gift:
        """Return the gift that was entered. Call it on a valid form."""
        given = self.cleaned_data
        return Gift(
            kind=Kind(given["kind"]),
            pseudonym=given["annotator"],
            amount=given["amount"],
            reason=given["reason"],
            key=given["key"],
        )


# The form of the screens' settings, made from their declaration.


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

    reason = text_field("Why", LONGEST_REASON, rows=2)

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


# The form of what annotators read of a campaign.


def title_field() -> forms.CharField:
    return forms.CharField(label="Title for annotators", max_length=LONGEST_TITLE, required=False)


def about_field() -> forms.CharField:
    return text_field("One sentence for annotators", LONGEST_ABOUT, rows=2)


class TextsForm(forms.Form):
    """The texts of `ReadTexts`; an empty title or sentence means the neutral words."""

    use_required_attribute = False

    public_title = title_field()
    public_about = about_field()
    contact = forms.EmailField(label="E-mail for annotators’ questions", required=False)
    instructions = text_field(
        "Your own instructions",
        LONGEST_TEXTS["instructions"],
        rows=6,
        help_text="Annotators are told that they have changed, with their next task.",
    )
    consent = text_field(
        "Consent text",
        LONGEST_TEXTS["consent"],
        rows=8,
        help_text="Everybody is asked to accept a changed text before their next task.",
    )
    reason = text_field("Why", LONGEST_REASON, rows=2)
    revision = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, now: ReadTexts, closed: bool = False) -> None:
        """now: the texts in use. closed: nobody reads the instructions and the consent any more."""
        super().__init__(data, initial={**asdict(now), "revision": now.revision})
        for name in ("instructions", "consent"):
            self.fields[name].disabled = closed

    def suggest(self, title: str, about: str) -> None:
        """Show in the empty fields which words are used for them."""
        self.fields["public_title"].widget.attrs["placeholder"] = title
        self.fields["public_about"].widget.attrs["placeholder"] = about

    @property
    def texts(self) -> dict[str, str]:
        """Return the texts of a valid form."""
        given = self.cleaned_data
        return {name: given[name] for name in given if name not in ("reason", "revision")}

    def again(self, now: ReadTexts) -> None:
        """Keep the input, based on the current texts, which are shown next to it."""
        self.data = {**self.data, **{name: self[name].value() for name in self.fields}}
        self.data["revision"] = now.revision
