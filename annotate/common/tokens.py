"""Signed tokens in place of cookies: worker pages live in foreign iframes.

An invitation names a campaign (and perhaps a person); a participation token names a
participation and is what worker endpoints take in their `Authorization: Bearer` header.
"""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotate.common.errors import Gone, NotFound

INVITATION_LIFE = timedelta(days=365)
PREVIEW_LIFE = timedelta(days=1)


def participation_token(participation_id: int) -> str:
    return signing.dumps(participation_id, salt="participation")


def read_participation(token: str) -> tuple[int, datetime]:
    """Return the participation's id and when the token was made; `NotFound` when forged.

    How long it lives is decided by `annotate.work.units`.
    """
    participation_id = int(_read(token, salt="participation", life=None))
    # The time is the last part but one, in seconds since 1970.
    return participation_id, datetime.fromtimestamp(
        signing.b62_decode(token.rsplit(":", 2)[1]), UTC
    )


def invitation_token(campaign_id: int, person: str = "", *, number: int = 0) -> str:
    """Return the token of a campaign's link, or of one person's (who need not give a name).

    number: the campaign's `links_number`; links of an earlier one are withdrawn.
    """
    named = [campaign_id, person, number] if number else [campaign_id, person]
    return signing.dumps(named, salt="invitation")


def read_invitation(token: str) -> tuple[int, str, int]:
    """Return (campaign id, person or "", number of its links).

    Raises `Gone` when expired, `NotFound` when forged.
    """
    campaign_id, person, *number = _read(token, salt="invitation", life=INVITATION_LIFE)
    return int(campaign_id), str(person), int(number[0]) if number else 0


def preview_token(campaign_id: int, tasks: int) -> str:
    """Return a token for the preview of submissions with this number of tasks, valid for a day."""
    return signing.dumps([campaign_id, tasks], salt="batch-preview")


def read_preview(token: str) -> tuple[int, int]:
    """Return (campaign id, tasks); `Gone` when expired, `NotFound` when forged."""
    campaign_id, tasks = _read(token, salt="batch-preview", life=PREVIEW_LIFE)
    return int(campaign_id), int(tasks)


def posting_token(public_id: str) -> str:
    """Return the signed name of a posting: its entry address carries it."""
    return signing.dumps(public_id, salt="posting")


def read_posting(token: str) -> str:
    """Return the posting's public id; `Gone` when expired, `NotFound` when forged."""
    return str(_read(token, salt="posting", life=INVITATION_LIFE))


def own_key(campaign_id: int, pseudonym: str) -> str:
    """Return the key under which a browser stores the address of a page. It identifies no one."""
    return signing.Signer(salt="own").signature(f"{campaign_id}:{pseudonym}")


def _read(token: str, *, salt: str, life: timedelta | None):  # type: ignore[no-untyped-def]
    try:
        return signing.loads(token, salt=salt, max_age=life)
    except signing.SignatureExpired:
        raise Gone(_("This link has expired. Ask the researcher for a new one.")) from None
    except signing.BadSignature:
        raise NotFound(
            _("This link is not complete. Copy the whole link, or ask the researcher for it.")
        ) from None


# Secrets that are handed out once and stored as digests.
#
# They are long and random, so their SHA-256 needs no salt and finds them by an index.


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
