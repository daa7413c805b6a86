"""What a tutorial is: graded questions as data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tutorial:
    """The questions that qualify an annotator for an instrument, in their order."""

    instrument: str
    version: str
