"""What annotators read of a campaign, and its amendments."""

from dataclasses import asdict
from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import permissions
from annotate.api.base import BoundedView, RequestSerializer, validated
from annotate.api.campaigns.fields import NEEDED
from annotate.api.campaigns.serializers import ABOUT, TITLE
from annotate.selectors.studies import amended_texts
from annotate.services.campaigns import changing_texts
from annotate.services.campaigns.study_texts import LONGEST, LONGEST_ABOUT, LONGEST_TITLE
from annotate.services.reasons import LONGEST_REASON


class TextAmendmentSerializer(serializers.Serializer[Any]):
    """One change after the opening; `changes`: name -> [was, now]."""

    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="“” for a command")
    why = serializers.CharField()
    changes = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))


class ConsentVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField(help_text="“” while there was none")
    until = serializers.DateTimeField(allow_null=True, help_text="null: it holds now")
    people = serializers.IntegerField(source="n_people", help_text="who accepted it")


class TextsSerializer(serializers.Serializer[Any]):
    """The texts in use. `revision` changes with any of them."""

    public_title = serializers.CharField()
    public_about = serializers.CharField(help_text="“”: the instrument's own sentence")
    contact = serializers.CharField()
    instructions = serializers.CharField()
    consent = serializers.CharField()
    revision = serializers.CharField()
    consents = ConsentVersionSerializer(many=True, help_text="newest first")
    amendments = TextAmendmentSerializer(many=True, help_text="newest first")


class PublicWordsSerializer(RequestSerializer):
    """What annotators read in place of the name. A field that is left out does not change.

    `texts/` changes the other texts too.
    """

    public_title = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_TITLE, help_text=TITLE
    )
    public_about = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_ABOUT, help_text=ABOUT
    )
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_REASON, help_text=NEEDED
    )


class ChangeTextsSerializer(PublicWordsSerializer):
    """Texts to change; others stay. `revision`: as it was read, so that nothing newer is lost."""

    contact = serializers.EmailField(required=False, allow_blank=True)
    instructions = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST["instructions"]
    )
    consent = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST["consent"],
        help_text="a changed text is asked of everybody again before their next task",
    )
    revision = serializers.CharField(default="", allow_blank=True, max_length=64)


class TextsView(BoundedView):
    """What annotators read of a campaign."""

    @extend_schema(responses=TextsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        return _shown(permissions.visible(request.user, public_id))

    @extend_schema(request=ChangeTextsSerializer, responses=TextsSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Change some texts; after the opening with a reason. A stale `revision`: 409."""
        campaign = permissions.run(request.user, public_id)
        given = dict(validated(ChangeTextsSerializer(data=request.data)))
        changing_texts.change(
            campaign.pk,
            actor_id=cast(User, request.user).pk,
            reason=given.pop("reason"),
            seen=given.pop("revision"),
            given=given,
        )
        return _shown(permissions.visible(request.user, public_id))


def _shown(campaign: Any) -> Response:
    now = amended_texts.of(campaign)
    found = {
        **asdict(now),
        "revision": now.revision,
        "consents": amended_texts.consents(campaign),
        "amendments": amended_texts.amended(campaign.pk),
    }
    return Response(TextsSerializer(found).data)
