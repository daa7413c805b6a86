"""Which cases a reviewer has opened, so that nobody is told that a person looked who did not."""

from collections.abc import Collection

from django.db.models import Max

from annotate.models import CaseOpened, Flag

Key = tuple[int, int]  # a campaign's id and an annotator's


def cases(user_id: int, keys: Collection[Key]) -> set[Key]:
    """Return those of these cases that a person has opened since their newest flag."""
    campaigns, people = ({key[part] for key in keys} for part in (0, 1))
    mine = CaseOpened.objects.filter(
        user=user_id, campaign__in=campaigns, annotator__in=people
    ).order_by()
    flags = Flag.objects.filter(
        review__campaign__in=campaigns, review__annotator__in=people
    ).order_by()
    flagged = {
        (campaign, annotator): at
        for campaign, annotator, at in flags.values("review__campaign", "review__annotator")
        .annotate(last=Max("at"))
        .values_list("review__campaign", "review__annotator", "last")
    }
    opened = (
        mine.values("campaign", "annotator")
        .annotate(last=Max("at"))
        .values_list("campaign", "annotator", "last")
    )
    last = {(campaign, annotator): at for campaign, annotator, at in opened}
    return {key for key in keys if key in last and last[key] >= flagged.get(key, last[key])}
