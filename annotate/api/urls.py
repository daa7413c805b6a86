from django.urls import path
from rest_framework.routers import SimpleRouter

from annotate.api import reviews
from annotate.api.campaigns import CampaignViewSet
from annotate.api.instruments import InstrumentViewSet
from annotate.api.pay import (
    AccountsView,
    ExtraPayView,
    MarkPaidView,
    PayoutListsView,
    PayoutListView,
    UndoPaidView,
)
from annotate.api.token import TokenView

router = SimpleRouter()
router.register("campaigns", CampaignViewSet, basename="api-campaign")
router.register("instruments", InstrumentViewSet, basename="api-instrument")

CAMPAIGN = "campaigns/<slug:public_id>/"
CASE = f"{CAMPAIGN}reviews/<slug:pseudonym>/"
LIST = f"{CAMPAIGN}payouts/<slug:list_id>/"

urlpatterns = [
    path("token/", TokenView.as_view(), name="api-token"),
    path("reviews/", reviews.QueueView.as_view(), name="api-reviews"),
    path(CASE, reviews.CaseView.as_view(), name="api-review"),
    path(f"{CASE}rule/", reviews.RuleView.as_view(), name="api-review-rule"),
    path(f"{CASE}dismiss/", reviews.DismissView.as_view(), name="api-review-dismiss"),
    path(f"{CAMPAIGN}accounts/", AccountsView.as_view(), name="api-accounts"),
    path(f"{CAMPAIGN}extra-pay/", ExtraPayView.as_view(), name="api-extra-pay"),
    path(f"{CAMPAIGN}payouts/", PayoutListsView.as_view(), name="api-payouts"),
    path(LIST, PayoutListView.as_view(), name="api-payout"),
    path(f"{LIST}paid/", MarkPaidView.as_view(), name="api-payout-paid"),
    path(f"{LIST}undo/", UndoPaidView.as_view(), name="api-payout-undo"),
    *router.urls,
]
