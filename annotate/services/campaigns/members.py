"""Who may see a campaign beside its owner."""

from django.contrib.auth.models import User
from django.db import transaction

from annotate.errors import Conflict, Invalid
from annotate.models import Membership
from annotate.services import audit


def add_reviewer(campaign_id: int, *, username: str, actor_id: int) -> None:
    """Give a user the review of a campaign's annotators."""
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise Invalid({"username": f"There is no user “{username.strip()}”. Capitals matter."})
    with transaction.atomic():
        _, created = Membership.objects.get_or_create(
            campaign_id=campaign_id, user=user, defaults={"role": Membership.Role.REVIEWER}
        )
        if not created:
            raise Conflict(f"{user.username} can see this campaign already.")
        audit.record(
            "add_reviewer",
            campaign_id=campaign_id,
            actor_id=actor_id,
            subject=f"user:{user.pk}",
            name=user.username,
        )
