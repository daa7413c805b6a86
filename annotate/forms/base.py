"""The smaller forms of researchers. They check the format; the services check the meaning."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate.models import LedgerEntry
from annotate.services.pay.extra_pay import LARGEST, LONGEST, LONGEST_KEY, Gift
from annotate.text.figures import unit_of_money

MOST_NAMES, LONGEST_NAME = 500, 80
MOST_JSON = 250_000  # characters of an instrument or a tutorial


class ReasonForm(forms.Form):
    why = forms.CharField(
        label="Why",
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say why: the reason is kept in the log."},
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
