"""The links by which annotators come to a campaign."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, RequestSerializer, takes_no_fields, validated
from annotate.forms.base import LONGEST_NAME, MOST_NAMES
from annotate.services.campaigns import amendments, links


class PersonalLinkSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    link = serializers.CharField()


class AnnotatorLinksSerializer(serializers.Serializer[Any]):
    open = serializers.CharField(help_text="for everybody: whoever has it can judge")
    personal = PersonalLinkSerializer(many=True)


class PeopleNamesSerializer(RequestSerializer):
    names = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), min_length=1, max_length=MOST_NAMES
    )


class LinksView(BoundedView):
    @extend_schema(responses=AnnotatorLinksSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """Show the link for everybody."""
        return _shown(permissions.visible(request.user, public_id))

    @extend_schema(request=PeopleNamesSerializer, responses=AnnotatorLinksSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Make links for people by name or code. Nothing is stored, so it can be repeated."""
        campaign = permissions.reviewable(request.user, public_id)
        return _shown(campaign, validated(PeopleNamesSerializer(data=request.data))["names"])


class WithdrawLinksView(BoundedView):
    @takes_no_fields(responses=AnnotatorLinksSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Make a new link: the earlier ones, personal ones too, let nobody in any more."""
        campaign = permissions.run(request.user, public_id)
        links.ask(campaign)
        amendments.withdraw_links(campaign.pk, actor_id=cast(User, request.user).pk)
        campaign.refresh_from_db(fields=["links_number"])
        return _shown(campaign)


def _shown(campaign: Any, names: list[str] | tuple[()] = ()) -> Response:
    links.ask(campaign)
    tidy = dict.fromkeys(" ".join(name.split()) for name in names)
    personal = [{"name": name, "link": links.of(campaign, name)} for name in tidy if name]
    found = {"open": links.of(campaign), "personal": personal}
    return Response(AnnotatorLinksSerializer(found).data)
