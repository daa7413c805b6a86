"""The form of what annotators read of a campaign."""

from dataclasses import asdict
from typing import Any

from django import forms

from annotate.selectors.studies.amended_texts import ReadTexts
from annotate.services.campaigns.study_texts import LONGEST, LONGEST_ABOUT, LONGEST_TITLE
from annotate.services.reasons import LONGEST_REASON


def title_field() -> forms.CharField:
    return forms.CharField(label="Title for annotators", max_length=LONGEST_TITLE, required=False)


def about_field() -> forms.CharField:
    return forms.CharField(
        label="One sentence for annotators",
        max_length=LONGEST_ABOUT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class TextsForm(forms.Form):
    """The texts of `ReadTexts`; an empty title or sentence means the neutral words."""

    use_required_attribute = False

    public_title = title_field()
    public_about = about_field()
    contact = forms.EmailField(label="E-mail for annotators’ questions", required=False)
    instructions = forms.CharField(
        label="Your own instructions",
        max_length=LONGEST["instructions"],
        required=False,
        help_text="Annotators are told that they have changed, with their next task.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    consent = forms.CharField(
        label="Consent text",
        max_length=LONGEST["consent"],
        required=False,
        help_text="Everybody is asked to accept a changed text before their next task.",
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    reason = forms.CharField(
        label="Why",
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
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
