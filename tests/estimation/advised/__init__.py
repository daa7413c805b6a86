"""One campaign for every branch of the advice, built through the services that make it so."""

from tests.estimation.advised import at_a_crowd, by_link, ending
from tests.estimation.advised.world import SITUATIONS, World

# Importing them fills SITUATIONS.
ROOMS = (by_link, at_a_crowd, ending)

__all__ = ["ROOMS", "SITUATIONS", "World"]
