"""The crowds that people can come from. A new one is a folder and a line here."""

from annotate.crowds.crowd import Crowd
from annotate.crowds.link.crowd import LINK
from annotate.crowds.mturk.crowd import MTURK
from annotate.crowds.prolific.crowd import PROLIFIC

CROWDS: dict[str, Crowd] = {crowd.key: crowd for crowd in (LINK, MTURK, PROLIFIC)}
