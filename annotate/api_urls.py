from django.urls import path
from rest_framework.routers import SimpleRouter

from annotate.accounts.api import TokenView
from annotate.campaigns import api as campaigns_api
from annotate.campaigns import contents_api
from annotate.campaigns.api import CampaignViewSet, ImportViewSet, TextsView
from annotate.campaigns.contents_api import ScreensView
from annotate.crowds import api as crowds_api
from annotate.notifications import views as notifications_views
from annotate.pay.api import (
    AccountsView,
    ExtraPayView,
    MarkPaidView,
    PayoutListsView,
    PayoutListView,
    UndoPaidView,
)
from annotate.review import api as review_api
from annotate.review import gold_views
from annotate.review.api import RuleTogetherView
from annotate.review.items_views import ListedItemsView
from annotate.studies.api import InstrumentViewSet

router = SimpleRouter()
router.register("campaigns", CampaignViewSet, basename="api-campaign")
router.register("imports", ImportViewSet, basename="api-import")
router.register("instruments", InstrumentViewSet, basename="api-instrument")

CAMPAIGN = "campaigns/<slug:public_id>/"
CASE = f"{CAMPAIGN}reviews/<slug:pseudonym>/"
BATCHES = f"{CAMPAIGN}batches/"
BATCH = f"{BATCHES}<slug:batch_id>/"
OPERATION = f"{CAMPAIGN}operations/<int:operation_id>/"
NOTIFICATIONS = f"{CAMPAIGN}notifications/"
LIST = f"{CAMPAIGN}payouts/<slug:list_id>/"

urlpatterns = [
    path("token/", TokenView.as_view(), name="api-token"),
    path("reviews/", review_api.QueueView.as_view(), name="api-reviews"),
    path("reviews/together/", RuleTogetherView.as_view(), name="api-reviews-together"),
    path(CASE, review_api.CaseView.as_view(), name="api-review"),
    path(f"{CASE}rule/", review_api.RuleView.as_view(), name="api-review-rule"),
    path(f"{CASE}dismiss/", review_api.DismissView.as_view(), name="api-review-dismiss"),
    path(f"{CAMPAIGN}screens/", ScreensView.as_view(), name="api-screens"),
    path(f"{CAMPAIGN}texts/", TextsView.as_view(), name="api-texts"),
    path(f"{CAMPAIGN}links/", campaigns_api.LinksView.as_view(), name="api-links"),
    path(
        f"{CAMPAIGN}links/withdraw/",
        campaigns_api.WithdrawLinksView.as_view(),
        name="api-links-withdraw",
    ),
    path(f"{CAMPAIGN}experts/", campaigns_api.ExpertsView.as_view(), name="api-experts"),
    path(
        f"{CAMPAIGN}experts/release/",
        campaigns_api.ReleaseExpertView.as_view(),
        name="api-expert-release",
    ),
    path(NOTIFICATIONS, notifications_views.NotificationsView.as_view(), name="api-notifications"),
    path(
        f"{NOTIFICATIONS}<slug:subscription_id>/end/",
        notifications_views.EndNotificationsView.as_view(),
        name="api-notification-end",
    ),
    path(
        f"{NOTIFICATIONS}<slug:subscription_id>/test/",
        notifications_views.TestNotificationsView.as_view(),
        name="api-notification-test",
    ),
    path(f"{CAMPAIGN}items/", contents_api.ItemList.as_view(), name="api-items"),
    path(f"{CAMPAIGN}items/listed/", ListedItemsView.as_view(), name="api-items-listed"),
    path(f"{CAMPAIGN}outputs/", contents_api.OutputList.as_view(), name="api-outputs"),
    path(f"{CAMPAIGN}annotators/", contents_api.AnnotatorList.as_view(), name="api-annotators"),
    path(f"{CAMPAIGN}exclusions/", contents_api.ExclusionList.as_view(), name="api-exclusions"),
    path(f"{CAMPAIGN}gold/", gold_views.GoldView.as_view(), name="api-gold"),
    path(f"{CAMPAIGN}gold/people/", gold_views.GoldPeopleView.as_view(), name="api-gold-people"),
    path(f"{CAMPAIGN}gold/confirm/", gold_views.ConfirmGoldView.as_view(), name="api-gold-confirm"),
    path(f"{CAMPAIGN}gold/remove/", gold_views.RemoveGoldView.as_view(), name="api-gold-remove"),
    path(f"{CAMPAIGN}accounts/", AccountsView.as_view(), name="api-accounts"),
    path(f"{CAMPAIGN}extra-pay/", ExtraPayView.as_view(), name="api-extra-pay"),
    path(f"{CAMPAIGN}payouts/", PayoutListsView.as_view(), name="api-payouts"),
    path(LIST, PayoutListView.as_view(), name="api-payout"),
    path(f"{LIST}paid/", MarkPaidView.as_view(), name="api-payout-paid"),
    path(f"{LIST}undo/", UndoPaidView.as_view(), name="api-payout-undo"),
    path(f"{CAMPAIGN}budget/", crowds_api.BudgetView.as_view(), name="api-budget"),
    path(f"{CAMPAIGN}fee/", crowds_api.FeeView.as_view(), name="api-fee"),
    path(BATCHES, crowds_api.BatchesView.as_view(), name="api-batches"),
    path(f"{BATCHES}offer/", crowds_api.OfferView.as_view(), name="api-batch-offer"),
    path(f"{BATCHES}sync/", crowds_api.SyncView.as_view(), name="api-batches-sync"),
    path(BATCH, crowds_api.BatchView.as_view(), name="api-batch"),
    path(f"{BATCH}offer/", crowds_api.OfferMoreView.as_view(), name="api-batch-offer-more"),
    path(f"{BATCH}extend/", crowds_api.ExtendView.as_view(), name="api-batch-extend"),
    path(f"{BATCH}stop/", crowds_api.StopView.as_view(), name="api-batch-stop"),
    path(
        f"{CAMPAIGN}units-in-doubt/",
        crowds_api.SubmissionsInDoubtView.as_view(),
        name="api-doubtful",
    ),
    path(
        f"{CAMPAIGN}units-in-doubt/<int:unit_id>/pay/",
        crowds_api.PayInDoubtView.as_view(),
        name="api-doubtful-pay",
    ),
    path(f"{CAMPAIGN}operations/", crowds_api.OperationsView.as_view(), name="api-operations"),
    path(f"{OPERATION}retry/", crowds_api.RetryView.as_view(), name="api-operation-retry"),
    path(f"{OPERATION}decide/", crowds_api.DecideView.as_view(), name="api-operation-decide"),
    path(f"{OPERATION}drop/", crowds_api.DropView.as_view(), name="api-operation-drop"),
    *router.urls,
]
