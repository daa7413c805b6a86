"""Codes of a second factor in requests, with a limit on guessing.

Every attempt is counted before its code is checked, so simultaneous attempts have no advantage.
Only somebody who has given the right password, or is logged in, can try a code at all.
"""

from django.http import HttpRequest

from annotate.requests import limits
from annotate.requests.client_address import client_address
from annotate.services.accounts import second_factor


def use(request: HttpRequest, user_id: int, typed: str) -> str:
    """Use a code up; return what it was of, or "" if it does not count.

    Raises `TooMany`. The page of the log-in, the API and the account's page count together.
    """
    guesses = limits.guesses("code", str(user_id), client_address(request))
    limits.check(*guesses)
    found = second_factor.use(user_id, typed)
    if found:
        limits.succeeded(guesses)
    return found
