"""An estimator of no use: the balanced one under another name, with a warning."""

from estimation.core import Registered
from estimation.core.estimators import balanced

COIN = Registered(
    key="coin",
    about="A coin decides.",
    metrics="any",
    fit=balanced,
    two_way_only=True,
    notice="This estimate was tossed.",
)
