"""What a metric is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from estimation.metrics.text import normalise

Needs = Literal["nothing", "reference"]
FloatArray = NDArray[np.float64]


class MetricError(ValueError):
    """Something asked of the metrics cannot be done; the message is meant for a person."""


class MissingReferencesError(MetricError):
    """A metric that compares with a reference was given none."""


class LengthMismatchError(MetricError):
    """There are not as many references as texts."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """An automatic metric: one finite number per text.

    name              unique; also the name of the stored column
    version           changes whenever any value changes (stored scores are cached by it)
    needs             'nothing' beside the text, or a 'reference'
    description       one sentence for a researcher, with the range
    higher_is_better  as seen by a reader of the text; None where neither end is better
    function          (text) or (text, reference) -> float; texts come normalised (`normalise`)
    """

    name: str
    version: str
    needs: Needs
    description: str
    higher_is_better: bool | None
    function: Callable[..., float]

    def score(self, texts: Sequence[str], references: Sequence[str] | None = None) -> FloatArray:
        """Scores, shape (len(texts),); each depends on its own row alone.

        Raises MissingReferencesError or LengthMismatchError (see `check`). References that are
        not needed are ignored.
        """
        self.check(texts, references)
        if self.needs == "nothing":
            values = (self.function(normalise(text)) for text in texts)
        else:
            pairs = zip(texts, references or (), strict=True)
            values = (self.function(normalise(text), normalise(ref)) for text, ref in pairs)
        return np.fromiter(values, dtype=np.float64, count=len(texts))

    def check(self, texts: Sequence[str], references: Sequence[str] | None) -> None:
        """Raise a MetricError unless the references that this metric needs are there."""
        if self.needs == "nothing":
            return
        if references is None:
            raise MissingReferencesError(f"The metric {self.name} needs a reference for each text.")
        if len(references) != len(texts):
            raise LengthMismatchError(
                f"The metric {self.name} needs one reference for each text; "
                f"there are {len(texts)} texts and {len(references)} references."
            )
