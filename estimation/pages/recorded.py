"""The page and the endpoint that take judgments in which were made elsewhere."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.campaigns import wizard
from annotate.campaigns.recording import LONGEST_CHOSEN, LONGEST_NAME, MOST_ON_A_PAGE
from annotate.common import requests
from annotate.common.access import researcher_page
from annotate.common.api import BoundedView, RequestSerializer, validated
from annotate.common.errors import Invalid
from annotate.models import Campaign
from annotate.models.base import Estimand
from estimation import recorded
from estimation.recorded import LIKE

RANDOM, OTHERWISE = "random", "otherwise"
HOW = (
    (RANDOM, "At random, out of all outputs of each system"),
    (OTHERWISE, "Otherwise, or all that I have"),
)
FOR_RANDOM = "Say how many outputs each system had: the judged ones are a sample of them."


def _needs(given: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with the number of outputs beside how the judged ones were chosen."""
    if given.get("sample") == RANDOM and given.get("outputs") is None:
        return {"outputs": FOR_RANDOM}
    if given.get("sample") == OTHERWISE and given.get("outputs") is not None:
        return {"outputs": "This number counts only if they were chosen at random. Leave it out."}
    return {}


def take(
    file: "UploadedFile[Any] | list[Any]", given: Mapping[str, Any], *, owner_id: int
) -> Campaign:
    """Store the judgments of a file, or of rows, as a closed campaign. Raises `Invalid`."""
    if wrong := _needs(given):
        raise Invalid(wrong)
    return recorded.import_judgments(
        Path("judgments"),
        blocks=[json.dumps(file).encode()] if isinstance(file, list) else file.chunks(),
        name=given["name"],
        owner_id=owner_id,
        chosen=given["chosen"],
        outputs=given.get("outputs"),
        scales=given["scales"],
        estimand=given["estimand"],
        most=MOST_ON_A_PAGE,
    )


class RecordedForm(forms.Form):
    use_required_attribute = False

    name = forms.CharField(label="Name", max_length=LONGEST_NAME, help_text="For researchers only.")
    file = forms.FileField(
        label="File", help_text="CSV, JSON, .xlsx or Parquet, also .gz and .zip."
    )
    sample = forms.ChoiceField(
        label="How were the judged outputs chosen?", choices=[("", "Choose…"), *HOW]
    )
    outputs = forms.IntegerField(
        label="Outputs of each system, judged or not",
        required=False,
        min_value=1,
        help_text="Only if they were chosen at random.",
    )
    chosen = forms.CharField(
        label="How they were chosen, in a sentence",
        max_length=LONGEST_CHOSEN,
        help_text="The dashboard and the report show it.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    scales = forms.CharField(
        label="Scales",
        required=False,
        max_length=10_000,
        help_text=f"One line for each criterion that is not built in, such as: {LIKE}. After a "
        "scale that scores can leave, write unbounded; where less is better, lower.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    estimand = forms.ChoiceField(label="Estimates are for", choices=Estimand.choices)


@requests.measures_its_body
@csrf_exempt  # checking the token reads the body: only after its length is known
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest) -> HttpResponseBase:
    if requests.length(request) > settings.UPLOAD_LIMIT + wizard.FORM_ROOM:
        return wizard.too_large(request)
    answer: HttpResponseBase = _page(request)
    return answer


@csrf_protect
def _page(request: HttpRequest) -> HttpResponseBase:
    posts = request.method == "POST"
    form = RecordedForm(*((request.POST, request.FILES) if posts else ()))
    if posts and form.is_valid():
        given = form.cleaned_data
        lines = given["scales"].splitlines()
        try:
            campaign = take(
                given["file"], given | {"scales": lines}, owner_id=int(request.user.pk or 0)
            )
        except Invalid as refused:
            for name, said in refused.errors.items():
                form.add_error(name if name in form.fields else None, said)
        else:
            messages.success(request, "The judgments are imported.")
            return redirect("estimation:dashboard", campaign.public_id)
    return render(
        request,
        "estimates/recorded.html",
        {"form": form, "section": "campaigns"},
        status=422 if form.is_bound else 200,
    )


class RecordedSerializer(RequestSerializer):
    """Judgments that were made elsewhere: a file, or rows in `judgments`."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    sample = serializers.ChoiceField(choices=HOW)
    outputs = serializers.IntegerField(
        required=False, min_value=1, help_text="of each system, judged or not; if random"
    )
    chosen = serializers.CharField(
        max_length=LONGEST_CHOSEN, help_text="how the judged outputs were chosen, in a sentence"
    )
    scales = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        max_length=100,
        help_text=f"of criteria that are not built in, such as “{LIKE}”",
    )
    estimand = serializers.ChoiceField(choices=Estimand.choices, default=Estimand.POPULATION)
    file = serializers.FileField(required=False, allow_empty_file=True)
    judgments = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="rows with annotator, item, system, criterion, score; perhaps time and group",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("file" in given) == ("judgments" in given):
            raise serializers.ValidationError({"file": "Give a file, or rows in “judgments”."})
        return given


class RecordedAnswerSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="public_id")


class RecordedView(BoundedView):
    def body_limit(self) -> int:
        has_file = (self.request.content_type or "").startswith("multipart/")
        return settings.UPLOAD_LIMIT if has_file else super().body_limit()

    @extend_schema(request=RecordedSerializer, responses={201: RecordedAnswerSerializer})
    def post(self, request: Request) -> Response:
        """Store judgments that were made elsewhere as a closed campaign of its own.

        A worker estimates it soon afterwards; the campaign then has estimates like any other.
        """
        given = validated(RecordedSerializer(data=request.data))
        file = given["file"] if "file" in given else given["judgments"]
        campaign = take(file, given, owner_id=int(request.user.pk or 0))
        return Response(RecordedAnswerSerializer(campaign).data, status=201)
