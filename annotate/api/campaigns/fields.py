"""Objects in requests: JSON, or its text in a form."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from annotate.services.campaigns import study_texts
from annotate.services.campaigns.study_texts import LONGEST
from annotate.text import json_text

NEEDED = "needed once the campaign has opened; the log keeps it"


class ObjectField(serializers.DictField):
    """An object; a form sends it as JSON text. example: what such a text looks like."""

    example: ClassVar[str]

    def get_value(self, dictionary: Mapping[Any, Any]) -> Any:
        if self.field_name in dictionary:
            return dictionary[self.field_name]
        return super().get_value(dictionary)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            try:
                data = json_text.parse(data)
            except json_text.NotJson:
                raise serializers.ValidationError(f"Must look like {self.example}.") from None
        return dict(super().to_internal_value(data))


class TargetsField(ObjectField):
    """Numbers by criterion."""

    example = '{"overall": 0.2}'
    child = serializers.FloatField()


class SettingsField(ObjectField):
    """Settings of the screens: group -> name -> value."""

    example = '{"signals": {"on": true}}'


class TextsField(ObjectField):
    """A researcher's own texts, by their names."""

    example = '{"consent": "You may stop at any time."}'
    child = serializers.CharField(allow_blank=True)

    def get_default(self) -> Any:
        return study_texts.read(super().get_default() or {})

    def to_internal_value(self, data: Any) -> Any:
        given = super().to_internal_value(data)
        if unknown := sorted(given.keys() - LONGEST.keys()):
            known = ", ".join(LONGEST)
            raise serializers.ValidationError(f"Unknown: {unknown[0][:40]}. There are {known}.")
        return study_texts.read(given)
