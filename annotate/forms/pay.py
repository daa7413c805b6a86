"""What researchers type to give extra pay, checked in shape; the service checks its meaning."""

from decimal import Decimal

from django import forms

from annotate.models import LedgerEntry
from annotate.selectors.pay.accounts import Account
from annotate.services.pay.extra_pay import LARGEST, LONGEST, LONGEST_KEY, Gift

Kind = LedgerEntry.Kind
CHOICES = [
    (Kind.BONUS.value, "Bonus"),
    (Kind.COMPENSATION.value, "Compensation for work that could not be submitted"),
]


class GiftForm(forms.Form):
    """`key` is made with the form: sending the same form twice gives once."""

    offer_beyond_budget = False

    kind = forms.ChoiceField(label="What", choices=CHOICES)
    annotator = forms.CharField(label="To whom", max_length=16, widget=forms.Select)
    amount = forms.DecimalField(
        label="Amount in dollars",
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

    def name_people(self, people: list[Account]) -> None:
        """Offer these to choose from; nobody is chosen beforehand."""
        widget = self.fields["annotator"].widget
        assert isinstance(widget, forms.Select)
        names = {one.pseudonym: f"{one.pseudonym} ({one.external_id})" for one in people}
        widget.choices = [("", "Choose…"), *names.items()]

    def gift(self) -> Gift:
        """Return what was typed; call it on a valid form."""
        given = self.cleaned_data
        return Gift(
            kind=Kind(given["kind"]),
            pseudonym=given["annotator"],
            amount=given["amount"],
            reason=given["reason"],
            key=given["key"],
        )
