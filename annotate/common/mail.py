"""Mails: what they say, and how a worker sends them, again and again until a server takes them."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPServerDisconnected

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotate.common import numbers, tokens
from annotate.common.marks import mail_intended
from annotate.models import Invitation, Mail

FIRST_WAIT, LONGEST_WAIT = 60.0, 3600.0  # seconds from one attempt to the next


def next_at(attempts: int, now: datetime) -> datetime:
    """Return the time of the next attempt, after so many: 1, 2, 4 … 60 minutes from now."""
    return now + timedelta(seconds=min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempts, 10)))


# The text of mails, made when they are sent: links in them are secrets.


def letter(to: str, subject: str, text: str) -> EmailMessage:
    return EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [to])


def mail_text(mail: Mail) -> Iterator[EmailMessage]:
    """Yield the letters of a mail: none where nobody has this address, or the offer has ended."""
    if mail.kind == Mail.Kind.RESET:
        for user in PasswordResetForm().get_users(mail.to):
            yield letter(mail.to, *_reset(user))
    elif mail.invitation is not None and mail.invitation.revoked_at is None:
        yield letter(mail.to, *_invitation(mail.invitation))


def invitation_link(public_id: str) -> str:
    address = reverse("annotate:invitation", args=[tokens.of_invitation(public_id)])
    return f"{settings.PUBLIC_URL}{address}"


def reset_link(user: User) -> str:
    """Return the address at which this person can set a new password, once and for a day."""
    named = urlsafe_base64_encode(force_bytes(user.pk))
    address = reverse(
        "annotate:new-password", args=[named, default_token_generator.make_token(user)]
    )
    return f"{settings.PUBLIC_URL}{address}"


def _reset(user: User) -> tuple[str, str]:
    """(subject, text)."""
    return (
        "Your new password for Plumbline",
        f"Somebody asked for a new password for the account “{user.get_username()}” at "
        f"{settings.PUBLIC_URL}.\n\nSet it here. The link works once, for one day:\n\n"
        f"{reset_link(user)}\n\n"
        "If it was not you, ignore this mail: your password stays as it is.\n",
    )


def _invitation(made: Invitation) -> tuple[str, str]:
    """(subject, text)."""
    campaign = " ".join(made.campaign.name.split())
    until = numbers.moment(made.expires_at, "day year")
    return (
        "You are invited to a campaign on Plumbline",
        f"{made.created_by.get_username()} invites you to the campaign “{campaign}” at "
        f"{settings.PUBLIC_URL}, as {made.role}.\n\nRead what that means and accept it here, "
        f"until {until}:\n\n{invitation_link(made.public_id)}\n\n"
        "If you do not know this person, ignore this mail.\n",
    )


# Mails: a committed row first, then sent by a worker, again and again until a server takes it.


MOST_ATTEMPTS = 8
AT_ONCE = 100  # mails in one sweep
KEPT = timedelta(days=30)  # a mail that was sent or given up

logger = logging.getLogger(__name__)


def intend(kind: Mail.Kind, *, to: str, invitation: Invitation | None = None) -> Mail:
    """Store a mail in the caller's transaction; a worker sends it after the commit."""
    now = timezone.now()
    mail = Mail.objects.create(kind=kind, to=to, invitation=invitation, created_at=now, due_at=now)
    transaction.on_commit(
        lambda: mail_intended.send_robust(sender=None, mail_id=mail.pk), robust=True
    )
    return mail


def send(mail_id: int) -> bool:
    """Send a mail if it is due; return whether a server took it. Call it outside transactions."""
    mail = _due().filter(pk=mail_id).select_related("invitation__campaign").first()
    if mail is None or not _claim(mail):
        return False
    try:
        for one in mail_text(mail):
            one.send()
    except (OSError, SMTPException, ValueError) as error:
        _failed(mail, error)
        return False
    Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now(), problem="")
    return True


def send_due() -> int:
    """Send what is due, and forget old mails; return how many were sent."""
    ended = Q(sent_at__isnull=False) | Q(given_up_at__isnull=False)
    Mail.objects.filter(ended, created_at__lt=timezone.now() - KEPT).delete()
    due = list(_due().order_by("due_at").values_list("pk", flat=True)[:AT_ONCE])
    return sum(send(pk) for pk in due)


def _due() -> QuerySet[Mail]:
    return Mail.objects.filter(sent_at=None, given_up_at=None, due_at__lte=timezone.now())


def _claim(mail: Mail) -> bool:
    """Move the next attempt into the future, for this worker alone."""
    again = next_at(mail.attempts, timezone.now())
    mine = _due().filter(pk=mail.pk, attempts=mail.attempts)
    return bool(mine.update(attempts=mail.attempts + 1, due_at=again))


def _failed(mail: Mail, error: Exception) -> None:
    logger.warning("mail %s was not sent: %s", mail.pk, type(error).__name__)
    last = mail.attempts + 1 >= MOST_ATTEMPTS
    Mail.objects.filter(pk=mail.pk).update(
        problem=said(error), given_up_at=timezone.now() if last else None
    )


def said(error: Exception) -> str:
    """Return what happened in words, without the server's own text, which may hold anything."""
    if isinstance(error, TimeoutError | SMTPServerDisconnected):
        return "The mail server did not answer."
    if isinstance(error, SMTPException):
        return "The mail server refused the mail."
    return "The mail server could not be reached."
