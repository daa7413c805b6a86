"""Reacts to what is announced: asks a worker to act."""

from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver

from annotate.common.marks import (
    import_waiting,
    mail_intended,
    notifications_intended,
    operation_intended,
    posting_changed,
    scores_awaited,
)


@receiver(operation_intended)
def carry_out_soon(sender: Any, *, operation_id: int, **_signal: Any) -> None:
    from annotate.tasks import carry_out
    from config.celery import enqueue

    enqueue(carry_out, operation_id)


@receiver(posting_changed)
def look_soon(sender: Any, *, posting_id: int, **_signal: Any) -> None:
    from annotate.tasks import look_at
    from config.celery import enqueue

    enqueue(look_at, posting_id)


@receiver(import_waiting)
def run_import_soon(sender: Any, *, import_id: int, **_signal: Any) -> None:
    from annotate.tasks import run_import
    from config.celery import enqueue

    enqueue(run_import, import_id)


@receiver(mail_intended)
def send_mail_soon(sender: Any, *, mail_id: int, **_signal: Any) -> None:
    from annotate.tasks import send_mail
    from config.celery import enqueue

    enqueue(send_mail, mail_id)


@receiver(notifications_intended)
def send_notifications_soon(sender: Any, *, subscription_id: int, **_signal: Any) -> None:
    from annotate.tasks import send_notifications_of
    from config.celery import enqueue

    enqueue(send_notifications_of, subscription_id)


@receiver(user_logged_in)
def note_sign_in(sender: Any, *, request: Any, user: Any, **_signal: Any) -> None:
    from annotate.accounts import accounts as signing_in

    signing_in.note_sign_in(request, user.pk)


@receiver(scores_awaited)
def score_soon(sender: Any, **_signal: Any) -> None:
    from annotate.tasks import score_waiting
    from config.celery import enqueue

    enqueue(score_waiting)
