"""The text of mails, made when they are sent: links in them are secrets."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotate.models import Invitation, Mail
from annotate.services.accounts import secrets
from annotate.text import figures


@dataclass(frozen=True)
class Letter:
    subject: str
    text: str


def of(mail: Mail) -> Iterator[Letter]:
    """Yield the letters of a mail: none where nobody has this address, or the offer has ended."""
    if mail.kind == Mail.Kind.RESET:
        for user in PasswordResetForm().get_users(mail.to):
            yield _reset(user)
    elif mail.invitation is not None and mail.invitation.revoked_at is None:
        yield _invitation(mail.invitation)


def invitation_link(public_id: str) -> str:
    address = reverse("annotate:invitation", args=[secrets.of_invitation(public_id)])
    return f"{settings.PUBLIC_URL}{address}"


def reset_link(user: User) -> str:
    """Return the address at which this person can set a new password, once and for a day."""
    named = urlsafe_base64_encode(force_bytes(user.pk))
    address = reverse(
        "annotate:new-password", args=[named, default_token_generator.make_token(user)]
    )
    return f"{settings.PUBLIC_URL}{address}"


def _reset(user: User) -> Letter:
    return Letter(
        "Your new password for Plumbline",
        f"Somebody asked for a new password for the account “{user.get_username()}” at "
        f"{settings.PUBLIC_URL}.\n\nSet it here. The link works once, for one day:\n\n"
        f"{reset_link(user)}\n\n"
        "If it was not you, ignore this mail: your password stays as it is.\n",
    )


def _invitation(made: Invitation) -> Letter:
    campaign = " ".join(made.campaign.name.split())
    until = figures.moment(made.expires_at, "day year")
    return Letter(
        "You are invited to a campaign on Plumbline",
        f"{made.created_by.get_username()} invites you to the campaign “{campaign}” at "
        f"{settings.PUBLIC_URL}, as {made.role}.\n\nRead what that means and accept it here, "
        f"until {until}:\n\n{invitation_link(made.public_id)}\n\n"
        "If you do not know this person, ignore this mail.\n",
    )
