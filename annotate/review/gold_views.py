"""The owner's page of gold items, and the same in the API."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns.forms import DefinitionForm
from annotate.common import access
from annotate.common import api as common_api
from annotate.common import lists as common_lists
from annotate.common.access import made_here, researcher_page, run
from annotate.common.api import BoundedView, RequestSerializer, validated
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.numbers import many, short
from annotate.common.schemas import Problem, Refused
from annotate.instruments.base import Question
from annotate.models.base import CampaignStatus
from annotate.review import gold as review_gold
from annotate.review import gold_queries
from annotate.review.gold import LONGEST_NAME, MOST_ITEMS
from annotate.studies import queries as studies_queries
from annotate.work.picking import BLOCK, MOST, USUAL


class ShareForm(forms.Form):
    share = forms.IntegerField(
        label=f"Gold items among {BLOCK} tasks of a person",
        min_value=0,
        max_value=MOST,
        initial=USUAL,
        help_text="0 for none. People cannot tell which of their tasks are gold.",
    )


class GoldFileForm(DefinitionForm):
    """Gold items as JSON: a file, or its text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["definition"].widget.attrs["rows"] = 8


class InstructionForm(forms.Form):
    """One answer to one question, as `question=value`."""

    answer = forms.ChoiceField(label="The answer that the text asks for")

    def __init__(self, *args: Any, questions: dict[str, Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["answer"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (f"{name}={value:g}", f"{one.label}: {label}")
            for name, one in questions.items()
            for value, label in one.levels
        ]

    @property
    def chosen(self) -> tuple[str, float]:
        question, _equals, value = self.cleaned_data["answer"].rpartition("=")
        return question, float(value)


# The owner's page of gold items: add and confirm them in a draft, and see what they showed.


MOST_PEOPLE = 100  # on the page; the reviews' queue has everybody who is listed


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def gold_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = made_here(run(request.user, public_id))
    forms = _forms(request, campaign)
    if request.method != "POST":
        return _page(request, campaign, forms)
    name = request.POST.get("act", "")
    if name not in ACTS:
        raise NotFound("This page does not know that act. Reload it.")
    form = forms.get(name)
    if form is not None and not form.is_valid():
        return _page(request, campaign, forms, status=422)
    try:
        done = ACTS[name](request, campaign, form)
    except Refused as refused:
        return _page(request, campaign, forms, problems=refused.problems, status=422)
    except Invalid as invalid:
        problems = [Problem(name, text) for name, text in invalid.errors.items()]
        return _page(request, campaign, forms, problems=problems, status=422)
    except Conflict as conflict:
        problems = [Problem("", conflict.message)]
        return _page(request, campaign, forms, problems=problems, status=conflict.status)
    messages.success(request, done)
    return redirect("annotate:gold", public_id)


def _forms(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Return the forms; the one that was sent holds what was typed."""
    act = request.POST.get("act", "")
    questions = dict(review_gold.instructable(studies_queries.instrument_of(campaign)))

    def sent(name: str) -> dict[str, Any]:
        return {"data": request.POST, "files": request.FILES} if act == name else {}

    return {
        "share": ShareForm(**sent("share"), initial={"share": campaign.gold_share}),
        "file": GoldFileForm(**sent("file")),
        "instruct": InstructionForm(**sent("instruct"), questions=questions),
    }


def _page(
    request: HttpRequest,
    campaign: Any,
    forms: dict[str, Any],
    *,
    problems: Any = (),
    status: int = 200,
) -> HttpResponseBase:
    items, limits = gold_queries.items(campaign), gold_queries.thresholds(campaign)
    instrument = studies_queries.instrument_of(campaign)
    context = {
        "campaign": campaign,
        "forms": forms,
        "problems": problems,
        "waiting": [one for one in items if not one.is_confirmed],
        "items": [one for one in items if one.is_confirmed],
        "people": gold_queries.people(campaign)[:MOST_PEOPLE],
        "n_people": gold_queries.n_people(campaign),
        "examples": gold_queries.examples(limits),
        "rule_share": _percent(1 - limits.level),
        "rule_slips": _percent(limits.slips),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "example": next((one.name for one in instrument.questions()), ""),
        "compares": instrument.compares,
        "takes_none": review_gold.NO_GOLD_BESIDE if instrument.shows_all else "",
        "can_instruct": bool(review_gold.instructable(instrument)),
        "of_tasks": BLOCK,
        "section": "campaigns",
    }
    return render(request, "campaigns/gold.html", context, status=status)


def _percent(share: float) -> str:
    """Return a setting as it was typed: 0.99 leaves 1 %, and 0.9999 leaves 0.01 %."""
    return f"{short(100 * share, most=4)}\u00a0%"


def _share(request: HttpRequest, campaign: Any, form: Any) -> str:
    share = form.cleaned_data["share"]
    review_gold.set_share(campaign.pk, share, actor_id=request.user.pk)
    return f"{share} of every {BLOCK} tasks are gold items." if share else "No task is gold."


def _file(request: HttpRequest, campaign: Any, form: Any) -> str:
    new = review_gold.from_file(form.text)
    made = review_gold.add(campaign.pk, new, actor_id=request.user.pk)
    return f"{many(len(made), 'gold item')} added."


def _instruct(request: HttpRequest, campaign: Any, form: Any) -> str:
    question, value = form.chosen
    review_gold.instruct(campaign.pk, question=question, value=value, actor_id=request.user.pk)
    return "An item that asks for this answer is added."


def _confirm(request: HttpRequest, campaign: Any, _form: Any) -> str:
    """Confirm the ticked items; discard the others that were shown."""
    shown, ticked = request.POST.getlist("shown"), request.POST.getlist("key")
    confirmed = review_gold.confirm(campaign.pk, ticked, actor_id=request.user.pk)
    rest = [key for key in shown if key not in ticked]
    removed = review_gold.remove(campaign.pk, rest, actor_id=request.user.pk)
    return f"{many(confirmed, 'item')} confirmed, {removed} discarded."


def _remove(request: HttpRequest, campaign: Any, _form: Any) -> str:
    removed = review_gold.remove(campaign.pk, request.POST.getlist("key"), actor_id=request.user.pk)
    return f"{many(removed, 'gold item')} removed."


# What a form of the page does; each returns what was done, in a sentence.
ACTS: dict[str, Callable[[HttpRequest, Any, Any], str]] = {
    "share": _share,
    "file": _file,
    "instruct": _instruct,
    "confirm": _confirm,
    "remove": _remove,
}


# Gold items of a campaign, for its owner: add, confirm and remove them, and see results.


class GoldItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(source="name")
    kind = serializers.CharField()
    output = serializers.CharField(source="text")
    expected = serializers.DictField(source="asked")
    chance = serializers.FloatField(help_text="that a guess is right")
    confirmed = serializers.BooleanField(source="is_confirmed", help_text="others are not used")
    answered = serializers.IntegerField()
    right = serializers.IntegerField()


class GoldPersonSerializer(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="annotator.pseudonym")
    answered = serializers.IntegerField()
    used = serializers.IntegerField(help_text="without items that most others missed")
    missed = serializers.IntegerField(source="wrong")
    by_honest = serializers.FloatField(help_text="probability that an honest person misses as many")
    by_guess = serializers.FloatField()
    listed = serializers.BooleanField()


class GoldSerializer(common_api.LinksSerializer):
    """The share, and a page of the items."""

    share = serializers.IntegerField(help_text="gold items among 25 tasks of a person")
    items = GoldItemSerializer(many=True)


class NewGoldSerializer(RequestSerializer):
    gold = serializers.ListField(
        child=serializers.DictField(), help_text="as in a file: item, output, expected"
    )


class GoldShareSerializer(RequestSerializer):
    share = serializers.IntegerField(min_value=0, max_value=MOST)


class GoldNamesSerializer(RequestSerializer):
    items = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_ITEMS
    )


class _OfGold(BoundedView):
    def shown(self, request: Request, public_id: str, *, status: int = 200) -> Response:
        campaign = access.run(request.user, public_id)
        address = reverse("api-gold", args=[public_id])
        wanted = common_api.asked(request, sorts={}, address=address)
        found, shown = gold_queries.items_page(campaign, wanted)
        items = GoldItemSerializer(shown, many=True).data
        body = {"share": campaign.gold_share, "items": items}
        return Response(common_api.links(request, found, address) | body, status=status)


class GoldView(_OfGold):
    @extend_schema(responses=GoldSerializer, parameters=common_api.parameters())
    def get(self, request: Request, public_id: str) -> Response:
        """List the gold items of a campaign, and how often they were answered right."""
        return self.shown(request, public_id)

    @extend_schema(request=NewGoldSerializer, responses={201: GoldSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Add gold items to a draft, in full or not at all."""
        campaign = access.run(request.user, public_id)
        given = validated(NewGoldSerializer(data=request.data))
        try:
            new = review_gold.from_data(given)
        except Refused as refused:
            raise Invalid(refused.errors("gold")) from None
        review_gold.add(campaign.pk, new, actor_id=_actor(request))
        return self.shown(request, public_id, status=201)

    @extend_schema(request=GoldShareSerializer, responses=GoldSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Let this many of every 25 tasks of a person be gold items."""
        campaign = access.run(request.user, public_id)
        share = validated(GoldShareSerializer(data=request.data))["share"]
        review_gold.set_share(campaign.pk, share, actor_id=_actor(request))
        return self.shown(request, public_id)


class GoldPeopleView(BoundedView):
    @extend_schema(
        operation_id="campaigns_gold_people_list",
        responses=common_api.shape(GoldPersonSerializer, "GoldPeople"),
        parameters=common_api.parameters(),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List who answered gold items: who is listed, then the least like honest people."""
        campaign = access.run(request.user, public_id)
        asked = common_api.asked(request, sorts={})
        rows = gold_queries.people(campaign)
        found, shown = common_lists.page_beside(rows, gold_queries.BY_LISTED, asked)
        return common_api.answer(request, found, GoldPersonSerializer(shown, many=True).data)


class ConfirmGoldView(_OfGold):
    @extend_schema(request=GoldNamesSerializer, responses=GoldSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm items that an earlier version planted, once a person has looked at them."""
        campaign = access.run(request.user, public_id)
        names = validated(GoldNamesSerializer(data=request.data))["items"]
        review_gold.confirm(campaign.pk, names, actor_id=_actor(request))
        return self.shown(request, public_id)


class RemoveGoldView(_OfGold):
    @extend_schema(request=GoldNamesSerializer, responses=GoldSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Remove gold items from a draft."""
        campaign = access.run(request.user, public_id)
        names = validated(GoldNamesSerializer(data=request.data))["items"]
        review_gold.remove(campaign.pk, names, actor_id=_actor(request))
        return self.shown(request, public_id)


def _actor(request: Request) -> int:
    return int(cast(User, request.user).pk)
