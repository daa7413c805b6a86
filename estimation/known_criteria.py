"""The criteria of the built-in instruments, by name: what a file's scores mean without options."""

from annotate.instruments.registry import INSTRUMENTS
from estimation.core import Scale

KNOWN_CRITERIA = {
    criterion.name: criterion
    for instrument in INSTRUMENTS.values()
    for criterion in instrument.criteria
}
KNOWN_SCALES = {name: Scale(one.low, one.high, one.bounded) for name, one in KNOWN_CRITERIA.items()}
