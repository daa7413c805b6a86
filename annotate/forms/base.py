"""The researchers' smaller forms, checked in shape; the services check their meaning."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate.services.campaigns.public_words import LONGEST_ABOUT, LONGEST_TITLE

MOST_NAMES = 500
MOST_JSON = 250_000  # of an instrument or a tutorial


class ReasonForm(forms.Form):
    why = forms.CharField(
        label="Why",
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say why: the reason is kept in the log."},
    )


class PublicWordsForm(forms.Form):
    """What annotators read of a campaign; an empty field means the neutral words."""

    public_title = forms.CharField(label="Title", max_length=LONGEST_TITLE, required=False)
    public_about = forms.CharField(
        label="One sentence",
        max_length=LONGEST_ABOUT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def suggest(self, title: str, about: str) -> None:
        """Show in the empty fields what is said where nothing is given."""
        self.fields["public_title"].widget.attrs["placeholder"] = title
        self.fields["public_about"].widget.attrs["placeholder"] = about


class NamesForm(forms.Form):
    names = forms.CharField(
        label="Names or codes, one a line",
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Type at least one name or code."},
    )

    def clean_names(self) -> list[str]:
        lines = (" ".join(line.split()) for line in self.cleaned_data["names"].splitlines())
        names = list(dict.fromkeys(line for line in lines if line))
        if len(names) > MOST_NAMES:
            raise ValidationError(f"At most {MOST_NAMES} names at once.")
        if too_long := [name for name in names if len(name) > 80]:
            raise ValidationError(f"“{too_long[0][:30]}…” is longer than 80 characters.")
        return names


class ReviewerForm(forms.Form):
    username = forms.CharField(label="User name", max_length=150)


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
        """What was given: the file, where there is one."""
        file = self.cleaned_data["file"]
        return bytes(file.read()) if file else str(self.cleaned_data["definition"])
