"""The arrays of a sample: copied and made read-only, so that what was checked stays true."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core.data import errors
from estimation.core.data.incidence import Floats


def frozen_floats(values: ArrayLike, *, what: str, dimensions: tuple[int, ...] = (1,)) -> Floats:
    """The values as read-only floats; an array that is read-only already is shared."""
    if isinstance(values, np.ndarray) and _is_frozen(values):
        return _frozen(values, what=what, dimensions=dimensions)
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.ShapeMismatchError(f"The {what} must be a flat list of numbers.") from error
    return _frozen(array, what=what, dimensions=dimensions)


def _is_frozen(array: NDArray[Any]) -> bool:
    """Whether these are read-only floats, and no view of an array that may change."""
    return array.dtype == np.float64 and array.flags.owndata and not array.flags.writeable


def _frozen(array: NDArray[Any], *, what: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    if array.ndim not in dimensions:
        shape = "a flat list" if dimensions == (1,) else "a flat list or a table"
        raise errors.ShapeMismatchError(
            f"The {what} must be {shape}, not {array.ndim}-dimensional."
        )
    array.flags.writeable = False
    return array
