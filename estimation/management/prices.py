"""What a judgment costs, as command-line options."""

from argparse import _ArgumentGroup

from annotate.selectors.pay import budget
from annotate.selectors.work.gold import BLOCK


def add_prices(group: _ArgumentGroup) -> None:
    group.add_argument("--reward", type=float, default=0.40, help="per judgment")
    group.add_argument(
        "--crowd", choices=budget.crowds(), default="link", help="whose fee is added"
    )
    group.add_argument("--fee-rate", type=float, help="0.2 for 20 percent; default the crowd's own")
    group.add_argument("--tasks", type=int, help="per paid submission (default 5)")
    group.add_argument("--tutorial-bonus", type=float, default=0.0, help="paid once to each person")
    group.add_argument("--minutes", type=float, help="of work per judgment")
    group.add_argument(
        "--gold-share",
        type=int,
        default=0,
        metavar="N",
        help=f"how many of {BLOCK} tasks of a person are gold items; they are paid alike",
    )
    group.add_argument(
        "--item-cost", type=float, default=0.0, help="of one more item before it is judged"
    )
