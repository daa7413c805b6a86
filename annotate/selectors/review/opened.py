"""The cases that a reviewer has opened, so no message claims that a person looked who did not."""

from collections.abc import Collection

from django.db.models import F, OuterRef, Q, Subquery

from annotate.models import CaseOpened, Flag

Key = tuple[int, int]  # a campaign's id and an annotator's


def cases(user_id: int, keys: Collection[Key]) -> set[Key]:
    """Return those of these cases that a person has opened since their newest flag; one query."""
    campaigns, people = ({key[part] for key in keys} for part in (0, 1))
    flags = Flag.objects.filter(
        review__campaign=OuterRef("campaign"), review__annotator=OuterRef("annotator")
    )
    mine = CaseOpened.objects.filter(
        user=user_id, campaign__in=campaigns, annotator__in=people
    ).annotate(flagged=Subquery(flags.order_by("-at").values("at")[:1]))
    since = mine.filter(Q(flagged=None) | Q(at__gte=F("flagged")))
    return set(since.values_list("campaign", "annotator")) & set(keys)
