"""What a campaign contains as JSON: items, outputs, judgments, people, exclusions, screens."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import (
    Count,
    Exists,
    Max,
    Min,
    Model,
    OuterRef,
    Prefetch,
    QuerySet,
    Subquery,
    Sum,
)
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import amendments, exports, progress
from annotate.common import access, content
from annotate.common.api import (
    NEEDED,
    BoundedView,
    ById,
    Finite,
    RequestSerializer,
    SettingsField,
    validated,
)
from annotate.common.audit import LONGEST_REASON
from annotate.instruments import base as instruments_base
from annotate.models import (
    Annotator,
    Assignment,
    Campaign,
    Exclusion,
    Item,
    Judgment,
    Output,
    Participation,
    Review,
    Slot,
)

M = TypeVar("M", bound=Model)


class HighlightSerializer(serializers.Serializer[Any]):
    """A highlight of an answer: of the output for a criterion, or of a paragraph (from 1)."""

    criterion = serializers.CharField(allow_null=True)
    paragraph = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField(help_text="in code points, from 0")
    end = serializers.IntegerField(help_text="excluded")
    text = serializers.CharField()
    category = serializers.CharField(required=False, help_text="of an error")
    severity = serializers.CharField(required=False, help_text="of an error")


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    """One judgment. Its annotator appears by pseudonym only; scores follow within seconds."""

    annotator = serializers.CharField(source="annotator.pseudonym")
    item = serializers.CharField(source="output.item.key")
    output = serializers.IntegerField(source="output_id")
    systems = serializers.SerializerMethodField()
    scores = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField()
    excluded = serializers.BooleanField(help_text="a ruling has excluded it from the estimates")
    supersedes = serializers.IntegerField(
        source="supersedes_id", allow_null=True, help_text="the judgment that it corrects"
    )
    superseded = serializers.SerializerMethodField(
        help_text="a correction has taken its place; it does not count, and has no scores"
    )
    response = serializers.JSONField(help_text="the whole answer, as stored")
    highlights = serializers.SerializerMethodField(help_text="with their words")
    elapsed_seconds = Finite()
    active_seconds = Finite(allow_null=True)

    class Meta:
        model = Judgment
        fields = (
            *("id", "annotator", "item", "output", "systems", "scores", "counts", "excluded"),
            *("supersedes", "superseded", "submitted_at", "elapsed_seconds", "active_seconds"),
            *("instrument", "instrument_version", "response", "highlights"),
        )
        read_only_fields = fields

    def get_systems(self, judgment: Judgment) -> list[str]:
        """Return who wrote what was judged: of a ranking, all systems."""
        output = judgment.output
        ranks = self.context.get("ranks")
        wrote = output.item.authorship_set if ranks else output.authorships
        in_order = sorted(wrote.all(), key=lambda authorship: authorship.system_id)
        return [authorship.system.name for authorship in in_order]

    def get_scores(self, judgment: Judgment) -> dict[str, float]:
        if self.get_superseded(judgment):
            return {}
        return {score.criterion: score.value for score in judgment.scores.all()}

    def get_superseded(self, judgment: Judgment) -> bool:
        return judgment.superseded_at is not None

    def get_counts(self, judgment: Judgment) -> bool:
        """Return whether it is the last answer, its assignment holds a slot and is verified, and
        its output does not wait for other named experts."""
        if self.get_superseded(judgment):
            return False
        assignment = judgment.assignment
        holds = hasattr(assignment, "slot") and assignment.status == "verified"
        return holds and judgment.output_id not in self.context.get("awaited", ())

    @extend_schema_field(HighlightSerializer(many=True))
    def get_highlights(self, judgment: Judgment) -> list[dict[str, Any]]:
        if not self.context.get("with_texts"):
            return []
        output, form = judgment.output, self.context["form"]
        text, paragraphs = content.visible(output.text, form), output.item.paragraphs
        return instruments_base.marked(judgment.response, text=text, paragraphs=paragraphs)


class ItemSerializer(serializers.Serializer[Any]):
    """An input of the systems; `position` is its place in the random order of judging."""

    item = serializers.CharField(source="key")
    position = serializers.IntegerField()
    group = serializers.CharField(allow_blank=True)
    input = serializers.CharField()
    paragraphs = serializers.ListField(child=serializers.CharField())
    reference = serializers.CharField()


class OutputSerializer(serializers.Serializer[Any]):
    """An output; identical texts for an item are one output of several systems."""

    output = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="item.key")
    systems = serializers.SerializerMethodField()
    text = serializers.CharField()
    words = serializers.IntegerField()

    def get_systems(self, output: Any) -> list[str]:
        return [authorship.system.name for authorship in output.authorships.all()]


class AnnotatorSerializer(serializers.Serializer[Any]):
    """An annotator, by pseudonym, and their contributions."""

    annotator = serializers.CharField()
    judgments = serializers.IntegerField()
    counting = serializers.IntegerField()
    excluded = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    active_seconds = Finite(allow_null=True)
    review = serializers.CharField(read_only=True, help_text="open, cleared, excluded or empty")
    screens = serializers.ListField(child=serializers.CharField(), read_only=True)


class ExclusionSerializer(serializers.Serializer[Any]):
    """A judgment that a ruling excluded; `restored_at` is null while it is excluded."""

    judgment = serializers.IntegerField(source="judgment_id")
    annotator = serializers.CharField(source="judgment.annotator.pseudonym")
    reason = serializers.CharField(source="ruling.reason")
    excluded_at = serializers.DateTimeField(source="ruling.at")
    restored_at = serializers.DateTimeField(allow_null=True)


def judgment_rows(campaign: Campaign, *, with_texts: bool, ranks: bool) -> QuerySet[Judgment]:
    """Select a campaign's judgments, superseded ones too, with what decides whether each counts.

    with_texts: include the texts that contain highlights. ranks: with the systems of whole items.
    """
    wrote = "output__item__authorship_set" if ranks else "output__authorships"
    marked = () if with_texts else ("output__text", "output__item__paragraphs")
    excluded = Exclusion.objects.filter(judgment=OuterRef("pk"), restored_at=None)
    rows: QuerySet[Judgment] = (
        Judgment.every.filter(campaign=campaign)
        .annotate(excluded=Exists(excluded))
        .select_related("annotator", "output__item", "assignment__slot")
        .prefetch_related("scores", f"{wrote}__system")
        .defer("output__item__input", "output__item__reference", *marked)
    )
    return rows


def _from_first(rows: QuerySet[M], campaign: Campaign) -> QuerySet[M]:
    """Begin with the first of these rows, which an index of the campaign has.

    In the order of ids Postgres may otherwise read those of all earlier campaigns.
    """
    mine = rows.model._default_manager.filter(campaign=OuterRef("pk")).order_by("pk")
    found = Campaign.objects.filter(pk=campaign.pk).annotate(first=Subquery(mine.values("pk")[:1]))
    return rows.filter(pk__gte=Subquery(found.values("first")))


def annotators(campaign: Campaign) -> QuerySet[Annotator]:
    """Select the annotators who judged in a campaign, with their reviews in it."""
    judged = Judgment.objects.filter(campaign=campaign, annotator=OuterRef("pk"))
    came = Participation.objects.filter(campaign=campaign).order_by().values("annotator")
    reviews = Review.objects.filter(campaign=campaign)
    return Annotator.objects.filter(Exists(judged), pk__in=came).prefetch_related(
        Prefetch("reviews", queryset=reviews.prefetch_related("flags"))
    )


def contributions(campaign: Campaign, people: Sequence[Annotator]) -> list[dict[str, Any]]:
    """Return what each of these people contributed, if anything; one query.

    people: with their reviews and flags, as `annotators` selects them.
    """
    holds = Slot.objects.filter(
        assignment=OuterRef("assignment"), assignment__status=Assignment.Status.VERIFIED
    )
    holds = holds.exclude(output__in=progress.awaited(campaign))
    out = Exclusion.objects.filter(judgment=OuterRef("pk"), restored_at=None)
    mine = Judgment.objects.filter(campaign=campaign, annotator__in=people).order_by()
    judged = mine.values("annotator").annotate(
        judgments=Count("pk"),
        counting=Count("pk", filter=Exists(holds)),
        excluded=Count("pk", filter=Exists(out)),
        first_at=Min("submitted_at"),
        last_at=Max("submitted_at"),
        active=Sum("active_seconds"),
    )
    rows = {row.pop("annotator"): row for row in judged}
    found = []
    for one in people:
        if one.pk in rows:
            reviews = one.reviews.all()
            more = {
                "annotator": one.pseudonym,
                "active_seconds": rows[one.pk].pop("active"),
                "review": next((str(review.status) for review in reviews), ""),
                "screens": [flag.screen for review in reviews for flag in review.flags.all()],
            }
            found.append(rows[one.pk] | more)
    return found


class _OfCampaign(BoundedView, ListAPIView[Any]):
    """A list of one campaign's rows."""

    pagination_class = ById
    queryset = Item.objects.none()  # for the description of the API, which has no campaign
    may_read = staticmethod(access.visible)

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):
            return Item.objects.none()
        return self.rows(self.may_read(self.request.user, self.kwargs["public_id"]))

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        raise NotImplementedError


class ItemList(_OfCampaign):
    """The inputs of the systems."""

    serializer_class = ItemSerializer

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        return _from_first(Item.objects.filter(campaign=campaign), campaign)


class OutputList(_OfCampaign):
    """The outputs of the systems, judged or not."""

    serializer_class = OutputSerializer
    may_read = staticmethod(access.with_results)

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        mine = _from_first(Output.objects.filter(campaign=campaign), campaign)
        rows = mine.select_related("item").only("text", "words", "item", "item__key")
        return rows.prefetch_related("authorships__system")


class AnnotatorList(_OfCampaign):
    """The annotators, by pseudonym."""

    serializer_class = AnnotatorSerializer

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        self.campaign = campaign
        return annotators(campaign)

    def paginate_queryset(self, queryset: QuerySet[Any] | Sequence[Any]) -> list[Any]:
        """Add to the people of a page what they contributed."""
        people = super().paginate_queryset(queryset)
        assert people is not None  # the list has pages
        return contributions(self.campaign, people)


class ExclusionList(_OfCampaign):
    """Judgments that a ruling excluded from the estimates, and those restored."""

    serializer_class = ExclusionSerializer

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        rows = Exclusion.objects.filter(judgment__campaign=campaign)
        return rows.select_related("judgment__annotator", "ruling").defer("judgment__response")


# The settings of a campaign's screens, and their changes.


class ScreenAmendmentSerializer(serializers.Serializer[Any]):
    """One change of settings; `changes`: path -> [was, now]."""

    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="“” for a command")
    why = serializers.CharField()
    changes = serializers.DictField(child=serializers.ListField(child=serializers.JSONField()))


class ScreenSettingsSerializer(serializers.Serializer[Any]):
    """Every setting, those that the campaign opened with, and the changes, newest first."""

    settings = serializers.DictField()
    at_opening = serializers.DictField(allow_null=True, help_text="null before it opens")
    amendments = ScreenAmendmentSerializer(many=True)


class ChangeScreensSerializer(RequestSerializer):
    """Settings to change, such as `{"timing": {"share": 0.25}}`; others stay."""

    settings = SettingsField()
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_REASON, help_text=NEEDED
    )


class ScreensView(BoundedView):
    """The settings of a campaign's screens."""

    @extend_schema(responses=ScreenSettingsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        return _shown(access.visible(request.user, public_id))

    @extend_schema(request=ChangeScreensSerializer, responses=ScreenSettingsSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Change some settings. After closing, and for signals after opening: 409."""
        campaign = access.run(request.user, public_id)
        given = validated(ChangeScreensSerializer(data=request.data))
        amendments.change(
            campaign.pk,
            given["settings"],
            actor_id=cast(User, request.user).pk,
            reason=given["reason"],
        )
        campaign.refresh_from_db(fields=["screening"])
        return _shown(campaign)


def _shown(campaign: Campaign) -> Response:
    found = {
        "settings": exports.screens_in_use(campaign),
        "at_opening": (campaign.protocol or {}).get("screening") or None,  # None from 0.1.0, too
        "amendments": exports.screens_amended(campaign.pk),
    }
    return Response(ScreenSettingsSerializer(found).data)
