"""Celery tasks: ids in, one service call. Each is safe to run twice."""

from celery import shared_task

from annotate.accounts import tokens
from annotate.campaigns import creating, imports, life
from annotate.common import mail
from annotate.crowds import outbox, reconciling
from annotate.notifications import sending, subscriptions
from annotate.pay import promises, work_times
from annotate.review import findings, reviews
from annotate.work import scoring

# Seconds. A large file takes minutes; what is stopped goes on with the chunk where it was.
AN_IMPORT = {"soft_time_limit": 3000, "time_limit": 3060}


@shared_task
def expire_leases() -> int:
    """Free the slots of leases that are over, in all campaigns."""
    return life.expire_all()


@shared_task
def stop_expired() -> int:
    """Stop the postings whose time is over."""
    return life.stop_expired()


@shared_task
def add_up() -> int:
    """Let promised bonuses of ended campaigns fall due, and note which are in the ledger by now."""
    return life.pay_promises() + promises.note_settled()


@shared_task
def carry_out(operation_id: int) -> bool:
    """Do on a crowd what was intended, unless somebody else is at it."""
    return outbox.carry_out(operation_id)


@shared_task
def carry_out_due() -> int:
    """Do what is due on crowds: lost messages, retries, and what a crash left behind."""
    return outbox.carry_out_due()


@shared_task
def look_at(posting_id: int) -> bool:
    """Compare one posting with its crowd, which says that something happened there."""
    return reconciling.reconcile(posting_id)


@shared_task
def reconcile() -> int:
    """Compare what is posted with its crowds, and follow what they say."""
    return reconciling.reconcile_all()


@shared_task
def send_mail(mail_id: int) -> bool:
    """Send one mail, unless another worker is at it."""
    return mail.send(mail_id)


@shared_task
def send_mails() -> int:
    """Send what is due: lost messages, and mails that a server has not taken."""
    return mail.send_due()


@shared_task
def forget_answers() -> int:
    """Forget answers of the API that nobody repeats a request for any more."""
    return tokens.forget()


@shared_task
def send_notifications_of(subscription_id: int) -> int:
    """Send what waits for one subscription, unless another worker is at it."""
    return sending.send(subscription_id)


@shared_task
def send_notifications() -> int:
    """Notice budgets that are nearly used, and send what is due, by webhooks and mails."""
    subscriptions.note_low()
    return sending.send_due()


@shared_task(**AN_IMPORT)
def run_import(import_id: int) -> bool:
    """Read an uploaded file, or make the campaign, unless a worker is at it."""
    return imports.run(import_id)


@shared_task(**AN_IMPORT)
def run_imports() -> int:
    """Find imports whose message was lost or whose worker is gone, and what is left behind."""
    return imports.run_due()


@shared_task
def clear_drafts() -> int:
    """Remove what was in deleted drafts."""
    return creating.clear_due()


@shared_task
def keep_verdicts() -> int:
    """Screen large campaigns, and keep what the screens found, for reviewers' pages."""
    return reviews.screen_due() + reviews.keep_due()


@shared_task
def keep_work_times() -> int:
    """Read how long people took in large campaigns, for reports."""
    return work_times.keep_due()


@shared_task
def look_at_signals() -> int:
    """Erase signals whose time is over, with their keys; look at what is new, and list people."""
    findings.erase_due()
    reviews.unlist_forgotten()
    seen = findings.look_due()
    reviews.list_by_signals()
    return seen


@shared_task
def look_at_gold() -> int:
    """Look at new answers to gold items, and list who misses more than honest people do."""
    return findings.look_at_gold_due()


@shared_task(soft_time_limit=300, time_limit=330)
def calibrate_screens() -> int:
    """Find the cut-offs of the screens in campaigns that have grown."""
    return findings.calibrate_due()


@shared_task(soft_time_limit=120, time_limit=150)
def score_waiting() -> int:
    """Score the judgments that wait because that takes long."""
    return scoring.score_waiting()
