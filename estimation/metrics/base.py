"""What a metric is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from estimation.metrics.text import normalise

Needs = Literal["nothing", "reference", "paragraphs", "others"]
FloatArray = NDArray[np.float64]


class MetricError(ValueError):
    """A metric cannot do what was asked; the message is for people."""


class _MissingError(MetricError):
    """What a metric compares texts with is missing: `what` for each text, counted as `several`."""

    what, one, several = "", "", ""


class MissingReferencesError(_MissingError):
    """A metric that compares with a reference was given none."""

    what, one, several = "a reference", "reference", "references"


class MissingParagraphsError(_MissingError):
    """A metric that looks into the input's paragraphs was given none."""

    what, one, several = "the input's paragraphs", "list of paragraphs", "lists of paragraphs"


class MissingOthersError(_MissingError):
    """A metric that compares the systems' outputs for an item was given only one."""

    what, one, several = "the other systems' outputs", "list of others", "lists of others"


class LengthMismatchError(MetricError):
    """The number of references, or of lists of texts, differs from the number of texts."""


_MISSING: dict[Needs, type[_MissingError]] = {
    "reference": MissingReferencesError,
    "paragraphs": MissingParagraphsError,
    "others": MissingOthersError,
}


@dataclass(frozen=True, kw_only=True)
class Metric:
    """An automatic metric: one finite number for each text.

    name: unique; also the name of the stored column.
    version: changes whenever any value changes: stored scores are cached by it.
    needs: what the metric needs beside the text; "others" are the outputs of the other systems for
        the same item.
    description: one sentence for a researcher, with the range.
    higher_is_better: for a reader of the text; None where neither end is better.
    function: (text), (text, reference), (text, paragraphs) or (text, others) to float. Every string
        is normalised; see `normalise`.
    batch: called instead of `function` with all rows at once: (texts, references or lists of texts)
        to an array (len(texts),).
    efficiency: data efficiency by itself on released judgments, by criterion (docs/metrics.md,
        geometric means over systems); empty where it was not measured or saved nothing.
    """

    name: str
    version: str
    needs: Needs
    description: str
    higher_is_better: bool | None
    function: Callable[..., float]
    batch: Callable[[Sequence[str], Sequence[Any]], FloatArray] | None = None
    efficiency: Mapping[str, float] = field(default_factory=dict, compare=False)

    def score(
        self,
        texts: Sequence[str],
        references: Sequence[str] | None = None,
        *,
        paragraphs: Sequence[Sequence[str]] | None = None,
        others: Sequence[Sequence[str]] | None = None,
    ) -> FloatArray:
        """Score some texts; each score depends on its own row alone.

        texts: the texts.
        references: one for each text; ignored unless the metric needs a reference.
        paragraphs: the input's paragraphs for each text; ignored unless the metric needs them.
        others: what the other systems wrote for the item of each text; ignored unless the metric
            needs it.
        Returns: (len(texts),) floats; the scores.
        Raises MissingReferencesError, MissingParagraphsError, MissingOthersError,
            LengthMismatchError: as in `check`.
        """
        self.check(texts, references, paragraphs=paragraphs, others=others)
        plain = [normalise(text) for text in texts]
        given = self._compared_with(references, paragraphs, others) or ()
        compared: list[Any] = [None] * len(texts)
        if self.needs != "nothing":
            compared = [
                normalise(one) if isinstance(one, str) else [normalise(each) for each in one]
                for one in given
            ]
        if self.batch is not None:
            return np.asarray(self.batch(plain, compared), dtype=np.float64)
        if self.needs == "nothing":
            values = (self.function(text) for text in plain)
        else:
            values = (self.function(*pair) for pair in zip(plain, compared, strict=True))
        return np.fromiter(values, dtype=np.float64, count=len(texts))

    def _compared_with(
        self,
        references: Sequence[str] | None,
        paragraphs: Sequence[Sequence[str]] | None,
        others: Sequence[Sequence[str]] | None,
    ) -> Sequence[Any] | None:
        """What stands beside each text."""
        given = {"reference": references, "paragraphs": paragraphs, "others": others}
        return given.get(self.needs)

    def check(
        self,
        texts: Sequence[str],
        references: Sequence[str] | None = None,
        *,
        paragraphs: Sequence[Sequence[str]] | None = None,
        others: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Check that the data have what this metric needs.

        texts, references, paragraphs, others: as in `score`.
        Raises MissingReferencesError, MissingParagraphsError, MissingOthersError: the metric needs
            them and there are none.
        Raises LengthMismatchError: their number differs from that of the texts.
        """
        if self.needs == "nothing":
            return
        needed, given = _MISSING[self.needs], self._compared_with(references, paragraphs, others)
        if given is None:
            raise needed(f"The metric {self.name} needs {needed.what} for each text.")
        if len(given) != len(texts):
            raise LengthMismatchError(
                f"The metric {self.name} needs one {needed.one} for each text; "
                f"there are {len(texts)} texts and {len(given)} {needed.several}."
            )
