"""Secrets that are handed out once and stored as digests.

They are long and random, so their SHA-256 needs no salt and finds them by an index.
"""

import hashlib
import secrets

from django.utils.crypto import salted_hmac


def fresh() -> str:
    """Return a new secret of 40 characters (160 bits)."""
    return secrets.token_hex(20)


def of_invitation(public_id: str) -> str:
    """Return the secret of an invitation's link; it is made from our key and stored nowhere.

    A worker can thus send it, and send it again, after the page that made it is gone.
    """
    return salted_hmac("member-invitation", public_id, algorithm="sha256").hexdigest()[:40]


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
