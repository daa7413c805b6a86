"""New passwords, for people who know theirs and for people who have forgotten it."""

from django.contrib.auth.models import User
from django.db import transaction

from annotate.errors import NotFound
from annotate.models import Mail
from annotate.services.accounts import letters, mailing, sign_ins


def ask(email: str) -> None:
    """Have a worker send a link to each account with this address.

    The worker looks for accounts, so that a request takes as long for unknown addresses.
    """
    mailing.intend(Mail.Kind.RESET, to=email)


def change(user: User, password: str) -> User:
    """Store a new password that its form has checked. Its tokens end with the old one."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
    return user


def done(user_id: int) -> None:
    """Sign out every browser of a person who has a new password."""
    sign_ins.end_others(user_id, but="")


def link_of(username: str) -> str:
    """Return a link for an administrator to hand on. Raises `NotFound` for an unknown name."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotFound(f"There is no active account “{username}”. Capitals matter.")
    return letters.reset_link(user)
