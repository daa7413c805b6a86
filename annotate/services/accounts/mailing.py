"""Mails: a committed row first, then sent by a worker, again and again until a server takes it."""

import logging
from datetime import timedelta
from smtplib import SMTPException, SMTPServerDisconnected

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.models import Invitation, Mail
from annotate.services import attempts
from annotate.services.accounts import letters
from annotate.signals import mail_intended

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
        for letter in letters.of(mail):
            EmailMessage(letter.subject, letter.text, settings.DEFAULT_FROM_EMAIL, [mail.to]).send()
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
    again = attempts.next_at(mail.attempts, timezone.now())
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
