"""Every address of the product, from the resolver, and a world in which each leads somewhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.regex_helper import normalize

from annotate.campaigns import imports, members
from annotate.common import mail, tokens
from annotate.models import Annotator, Campaign, Membership, PayoutList
from annotate.models.crowds import StopPayload
from annotate.notifications import subscriptions
from annotate.pay import payouts
from estimation import deferred, refresh
from estimation.models import Estimate
from tests import reviewed
from tests.annotate import market
from tests.crowds.operations import on_posting
from tests.factories import plan, user

# Doors of campaigns on a marketplace.
MARKET = ("batch", "operation", "unit")
VERBS = {"annotate:act": {"verb": "pause"}, "annotate:batch-operation": {"verb": "retry"}}


@dataclass(frozen=True)
class Door:
    name: str
    arguments: tuple[str, ...]
    methods: frozenset[str]
    route: str  # with %(name)s for each argument

    def __str__(self) -> str:
        return self.name

    def path(self, values: Mapping[str, Any]) -> str:
        """Return the address with these values as they are, whether it takes them or not."""
        return self.route % {name: values[name] for name in self.arguments}


def doors() -> Iterator[Door]:
    yield from _within(get_resolver().url_patterns, "", (), "/")


def _within(
    patterns: list[URLPattern | URLResolver], space: str, above: tuple[str, ...], before: str
) -> Iterator[Door]:
    for pattern in patterns:
        arguments = (*above, *pattern.pattern.converters, *_groups(pattern))
        route = before + normalize(pattern.pattern.regex.pattern)[0][0]
        if isinstance(pattern, URLResolver) and pattern.namespace == "admin":
            # Django's own: tests/annotate/accounts/test_admin.py tries each of its addresses.
            yield Door("admin:index", (), frozenset({"get", "post"}), route)
        elif isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _within(pattern.url_patterns, inner, arguments, route)
        else:
            name = f"{space}{pattern.name or pattern.pattern}"
            yield Door(name, arguments, _methods(pattern), route)


def _groups(pattern: URLPattern | URLResolver) -> tuple[str, ...]:
    """The arguments of a regular expression, as the router of the API writes them."""
    return () if pattern.pattern.converters else tuple(pattern.pattern.regex.groupindex)


def _methods(pattern: URLPattern) -> frozenset[str]:
    """The methods that the API names; a page is tried with two."""
    callback: Any = pattern.callback
    if actions := getattr(callback, "actions", None):
        return frozenset(actions)
    view = getattr(callback, "view_class", None)
    if view is None:
        return frozenset({"get", "post"})
    return frozenset(m for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m))


DOORS = sorted({door.name: door for door in doors()}.values(), key=str)


@dataclass(frozen=True)
class World:
    owner: User
    link: Campaign
    market: Campaign
    facts: dict[str, Any]

    def address(self, door: Door) -> str:
        return reverse(door.name, kwargs=self.arguments(door))

    def arguments(self, door: Door) -> dict[str, Any]:
        """Return what the door's address takes to lead somewhere."""
        campaign = self.market if any(word in door.name for word in MARKET) else self.link
        here = {"public_id": campaign.public_id, **VERBS.get(door.name, {})}
        facts = self.facts | here
        return {name: facts[name] for name in door.arguments}


ROW = b'{"item": "a", "system": "s", "output": "x"}\n'


def _import(owner: User) -> str:
    file = SimpleUploadedFile("outputs.jsonl", ROW)
    return imports.receive(plan(), file, owner_id=owner.pk, key="k").public_id


def _of_accounts(campaign: Campaign, owner: User) -> dict[str, Any]:
    made = members.invite(campaign.pk, role="reviewer", most_uses=9, actor_id=owner.pk)
    viewer = Membership.objects.create(campaign=campaign, user=user("vic"), role="viewer")
    told = subscriptions.subscribe(
        campaign.pk,
        user_id=owner.pk,
        channel="webhook",
        events=["status"],
        url="https://example.org/",
    )
    link = mail.reset_link(owner).split("/")
    return {
        "invitation_id": made.public_id,
        "member_id": viewer.pk,
        "subscription_id": told.public_id,
        "sign_in_id": 1,
        "token_id": 1,
        "invitation_token": tokens.of_invitation(made.public_id),
        "uidb64": link[-3],
        "reset_token": link[-2],
    }


def built() -> World:
    """Return a world: a campaign by link with somebody flagged, and one on a marketplace."""
    cache.clear()
    owner = user("ada")
    case = reviewed.case(owner)
    link = case.campaign
    assert refresh.refresh(link.pk)
    deferred.MEASURING.carry_out(link.pk)
    deferred.LOOKING.carry_out(link.pk)
    estimated = Estimate.objects.filter(campaign=link).latest("pk")
    listed = payouts.prepare(link.pk, actor_id=owner.pk)
    sold = market.study(owner=owner)
    posting = market.posting(sold)
    unit = market.arrive(posting)
    operation = on_posting(StopPayload(), posting)
    facts = {
        "pseudonym": Annotator.objects.get(pk=case.annotator_id).pseudonym,
        "list_id": PayoutList.objects.get(pk=listed.pk).public_id,
        "batch_id": posting.batch.public_id,
        "operation_id": operation.pk,
        "participation_id": unit.pk,
        "unit_id": unit.pk,
        "criterion": estimated.criterion,
        "system_id": estimated.system_id,
        "upto": estimated.pk,
        "theme": "light",
        "kind": "svg",
        "name": "scatter",
        "of": "estimates",
        "key": "language_quality",
        "version": "1",
        "language": "en",
        "tutorial_id": 1,
        "reference": "language_quality",
        "number": 1,
        "import_id": _import(owner),
        "step": "plan",
        **_of_accounts(link, owner),
    }
    return World(owner, link, sold, facts)
