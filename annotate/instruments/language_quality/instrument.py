"""Language quality: three Likert questions, and a post-edit where anything falls short."""

from annotate.instruments.language_quality.definition import DEFINITION
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.tutorials.content import Tutorial


class LanguageQuality(Rating):
    def __init__(self) -> None:
        super().__init__(DEFINITION)

    def tutorial(self, language: str) -> Tutorial | None:
        return None
