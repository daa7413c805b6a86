"""A crowd that exists only here: its adapter keeps what it is asked for."""

from decimal import Decimal

from annotate.common.tokens import read_posting
from annotate.crowds.contract import Claim, Crowd, Marketplace
from annotate.crowds.prices import Tariff
from tests.crowds.scripted import Scripted


class Bazaar(Scripted):
    key, label, environment = "bazaar", "The Bazaar", "live"

    def parse_entry(self, params: dict[str, str]) -> Claim:
        posting = read_posting(params["posting"])
        if "stall" not in params:
            return Claim(posting=posting)
        return Claim(
            posting=posting, person=params["buyer"], unit=params["stall"], listing=params["lane"]
        )

    def verify_claim(self, claim: Claim) -> bool:
        return True


def make(password: str) -> Marketplace:
    assert password == "sesame"
    return Bazaar()


BAZAAR = Crowd(
    "bazaar",
    "The Bazaar",
    "people who haggle; published and paid there",
    Tariff(Decimal("0.07")),
    make,
    settings={"BAZAAR_PASSWORD": ""},
    reopens=True,
    not_asked=("keywords",),
)
