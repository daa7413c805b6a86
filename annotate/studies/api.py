"""Instruments: the list, one as JSON, and defining new ones."""

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotate.campaigns.parsers import JsonParser
from annotate.common.api import BoundedView
from annotate.common.errors import NotFound
from annotate.instruments.base import Instrument
from annotate.instruments.rating.instrument import Rating, as_data
from annotate.studies import definitions, tutorials
from annotate.studies import queries as studies_queries

_ONE_OBJECT: Any = forced_singular_serializer  # without types


class CriterionSerializer(serializers.Serializer[Any]):
    """One score that an instrument gives."""

    name = serializers.CharField()
    label: Any = serializers.CharField()
    low = serializers.FloatField()
    high = serializers.FloatField(help_text="a working range where `bounded` is false")
    bounded = serializers.BooleanField()
    higher_is_better = serializers.BooleanField()


class ListedInstrumentSerializer(serializers.Serializer[Any]):
    """One version of an instrument; a plan names it by `reference`."""

    key = serializers.CharField()
    version = serializers.CharField()
    reference = serializers.CharField()
    label: Any = serializers.CharField()
    built_in = serializers.BooleanField()
    criteria = CriterionSerializer(many=True)


class InstrumentSerializer(ListedInstrumentSerializer):
    """One version of an instrument, with its definition."""

    definition = serializers.DictField(
        allow_null=True, help_text="null for an instrument without a definition"
    )


class TutorialSerializer(serializers.Serializer[Any]):
    """A tutorial that a researcher supplied; a plan names its `id` as `tutorial_id`."""

    id = serializers.IntegerField()
    instrument = serializers.CharField()
    title = serializers.CharField()
    language = serializers.CharField()
    version = serializers.CharField()
    n_questions = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    campaigns = serializers.IntegerField()


class InstrumentsSerializer(serializers.Serializer[Any]):
    """All instruments."""

    results = ListedInstrumentSerializer(many=True)


class TutorialsSerializer(serializers.Serializer[Any]):
    """All tutorials of an instrument. built_in: languages of those that come with it."""

    results = TutorialSerializer(many=True)
    built_in = serializers.ListField(child=serializers.CharField())


class InstrumentViewSet(BoundedView, GenericViewSet[Any]):
    """The instruments that campaigns can use: built in, or defined by researchers."""

    serializer_class = InstrumentSerializer
    parser_classes = [JsonParser]
    pagination_class = None
    lookup_field = "reference"
    lookup_value_regex = "[a-z0-9_]+(@[0-9]+)?"

    @extend_schema(responses=_ONE_OBJECT(InstrumentsSerializer))
    def list(self, request: Request) -> Response:
        """List the newest version of each instrument, without its definition."""
        rows = studies_queries.listed(cast(User, request.user).pk)
        shown = [_data(row.instrument, row.reference, row.built_in) for row in rows]
        for one in shown:
            del one["definition"]
        return Response({"results": shown})

    def retrieve(self, request: Request, reference: str) -> Response:
        """Show one by `key` (the latest version) or `key@version`, with its definition."""
        return Response(_found(reference))

    @extend_schema(request=OpenApiTypes.OBJECT, responses={201: InstrumentSerializer})
    def create(self, request: Request) -> Response:
        """Define one: the next version of its key, or the identical existing version."""
        made = definitions.define(request.data, owner_id=cast(User, request.user).pk)
        return Response(_found(f"{made.key}@{made.version}"), status=201)

    @extend_schema(
        methods=["POST"], request=OpenApiTypes.OBJECT, responses={201: TutorialSerializer}
    )
    @extend_schema(methods=["GET"], responses=_ONE_OBJECT(TutorialsSerializer))
    @action(detail=True, methods=["get", "post"])
    def tutorials(self, request: Request, reference: str) -> Response:
        """List the tutorials that researchers supplied for it; a POST stores one."""
        user_id = cast(User, request.user).pk
        if request.method == "POST":
            made = definitions.store_tutorial(request.data, reference=reference, owner_id=user_id)
            rows = studies_queries.tutorials_listed(made.instrument, user_id)
            mine = next(row for row in rows if row.id == made.pk)
            return Response(TutorialSerializer(mine).data, status=201)
        key = _found(reference)["key"]
        shown = TutorialSerializer(studies_queries.tutorials_listed(key, user_id), many=True)
        return Response({"results": shown.data, "built_in": tutorials.languages(key)})


def _found(reference: str) -> dict[str, Any]:
    try:
        instrument = studies_queries.named(reference)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    built_in = studies_queries.is_built_in(instrument.key)
    known = instrument.key if built_in else f"{instrument.key}@{instrument.version}"
    return _data(instrument, known, built_in)


def _data(instrument: Instrument, reference: str, built_in: bool) -> dict[str, Any]:
    definition = as_data(instrument.definition) if isinstance(instrument, Rating) else None
    names = ("name", "label", "low", "high", "bounded", "higher_is_better")
    return {
        "key": instrument.key,
        "version": instrument.version,
        "reference": reference,
        "label": instrument.label,
        "built_in": built_in,
        "criteria": [{name: one.as_data()[name] for name in names} for one in instrument.criteria],
        "definition": definition,
    }
