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


class MissingReferencesError(MetricError):
    """A metric that compares with a reference was given none."""


class MissingParagraphsError(MetricError):
    """A metric that looks into the input's paragraphs was given none."""


class MissingOthersError(MetricError):
    """A metric that compares the systems' outputs for an item was given only one."""


class LengthMismatchError(MetricError):
    """The number of references, or of lists of texts, differs from the number of texts."""


@dataclass(frozen=True)
class _Beside:
    """What a metric needs beside the text: for its errors."""

    what: str
    one: str
    several: str
    missing: type[MetricError]


_BESIDE: dict[Needs, _Beside] = {
    "reference": _Beside("a reference", "reference", "references", MissingReferencesError),
    "paragraphs": _Beside(
        "the input's paragraphs",
        "list of paragraphs",
        "lists of paragraphs",
        MissingParagraphsError,
    ),
    "others": _Beside(
        "the other systems' outputs", "list of others", "lists of others", MissingOthersError
    ),
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
    slow: whether more processes are worth starting for a thousand texts.
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
    slow: bool = False
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
        beside = self._beside(texts, references, paragraphs, others)
        if self.batch is not None:
            return np.asarray(self.batch(plain, beside), dtype=np.float64)
        if self.needs == "nothing":
            values = (self.function(text) for text in plain)
        else:
            values = (self.function(text, other) for text, other in zip(plain, beside, strict=True))
        return np.fromiter(values, dtype=np.float64, count=len(texts))

    def _beside(
        self,
        texts: Sequence[str],
        references: Sequence[str] | None,
        paragraphs: Sequence[Sequence[str]] | None,
        others: Sequence[Sequence[str]] | None,
    ) -> list[Any]:
        """What each text is compared with, normalised."""
        if self.needs == "reference":
            return [normalise(reference) for reference in references or ()]
        if self.needs == "nothing":
            return [None] * len(texts)
        lists = paragraphs if self.needs == "paragraphs" else others
        return [[normalise(one) for one in several] for several in lists or ()]

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
        needed = _BESIDE[self.needs]
        given: Sequence[Any] | None = references
        if self.needs != "reference":
            given = paragraphs if self.needs == "paragraphs" else others
        if given is None:
            raise needed.missing(f"The metric {self.name} needs {needed.what} for each text.")
        if len(given) != len(texts):
            raise LengthMismatchError(
                f"The metric {self.name} needs one {needed.one} for each text; "
                f"there are {len(texts)} texts and {len(given)} {needed.several}."
            )
