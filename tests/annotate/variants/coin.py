"""An estimator of no use: the balanced one under another name, with a warning."""

from estimation.core import REGISTERED, Registered

COIN = Registered(
    key="coin",
    about="A coin decides.",
    metrics="any",
    fit=REGISTERED["balanced"].fit,
    two_way_only=True,
    notice="This estimate was tossed.",
)
