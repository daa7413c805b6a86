"""New accounts of people who were invited."""

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q

from annotate.errors import Invalid
from annotate.models import Profile
from annotate.text import names

TAKEN = "This name is taken, or looks like another one. Choose a different name."


def register(username: str, password: str, *, email: str = "") -> User:
    """Create an account. Raises `Invalid` with what to correct.

    A name that looks like that of another account is refused: members are shown by their names.
    """
    username = User.normalize_username(names.tidy(username))
    user = User(username=username, email=email)
    if errors := _problems(user, password):
        raise Invalid(errors)
    looks = names.keys(username)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            Profile.objects.create(user=user, look_small=looks.small, look_large=looks.large)
    except IntegrityError:
        raise Invalid({"username": TAKEN}) from None
    return user


def _problems(user: User, password: str) -> dict[str, str]:
    found = {}
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        found = {name: " ".join(texts) for name, texts in error.message_dict.items()}
    if "username" not in found and _looks_taken(user.username):
        found["username"] = TAKEN
    try:
        validate_password(password, user)
    except ValidationError as error:
        found["password"] = " ".join(error.messages)
    return found


def _looks_taken(username: str) -> bool:
    """Return whether another name looks like this one; few names were not chosen here."""
    if not names.can_be_seen(username):
        return True
    looks = names.keys(username)
    chosen = Profile.objects.filter(Q(look_small=looks.small) | Q(look_large=looks.large))
    if chosen.exists():
        return True
    others = User.objects.filter(Q(profile=None) | Q(profile__look_small=None))
    return any(names.are_one(username, one) for one in others.values_list("username", flat=True))
