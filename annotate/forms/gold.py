"""The forms of a campaign's gold items. They check the format; the services check the meaning."""

from typing import Any

from django import forms

from annotate.forms.base import DefinitionForm
from annotate.instruments.answers import Question
from annotate.selectors.work.gold import BLOCK, MOST, USUAL


class ShareForm(forms.Form):
    share = forms.IntegerField(
        label=f"Gold items among {BLOCK} tasks of a person",
        min_value=0,
        max_value=MOST,
        initial=USUAL,
        help_text="0 for none. People cannot tell which of their tasks are gold.",
    )


class GoldFileForm(DefinitionForm):
    """Gold items as JSON: a file, or its text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["definition"].widget.attrs["rows"] = 8


class InstructionForm(forms.Form):
    """One answer to one question, as `question=value`."""

    answer = forms.ChoiceField(label="The answer that the text asks for")

    def __init__(self, *args: Any, questions: dict[str, Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["answer"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (f"{name}={value:g}", f"{one.label}: {label}")
            for name, one in questions.items()
            for value, label in one.levels
        ]

    @property
    def chosen(self) -> tuple[str, float]:
        question, _equals, value = self.cleaned_data["answer"].rpartition("=")
        return question, float(value)
