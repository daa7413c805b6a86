from django.urls import path
from rest_framework.routers import SimpleRouter

from annotate.api.campaigns import contents as work
from annotate.api.campaigns import gold, links, notifications
from annotate.api.campaigns.imports import ImportViewSet
from annotate.api.campaigns.screens import ScreensView
from annotate.api.campaigns.texts import TextsView
from annotate.api.campaigns.views import CampaignViewSet
from annotate.api.marketplace import views as marketplace
from annotate.api.pay.views import (
    AccountsView,
    ExtraPayView,
    MarkPaidView,
    PayoutListsView,
    PayoutListView,
    UndoPaidView,
)
from annotate.api.review import views as review
from annotate.api.review.items import ListedItemsView
from annotate.api.review.together import RuleTogetherView
from annotate.api.studies.views import InstrumentViewSet
from annotate.api.token import TokenView

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
    path("reviews/", review.QueueView.as_view(), name="api-reviews"),
    path("reviews/together/", RuleTogetherView.as_view(), name="api-reviews-together"),
    path(CASE, review.CaseView.as_view(), name="api-review"),
    path(f"{CASE}rule/", review.RuleView.as_view(), name="api-review-rule"),
    path(f"{CASE}dismiss/", review.DismissView.as_view(), name="api-review-dismiss"),
    path(f"{CAMPAIGN}screens/", ScreensView.as_view(), name="api-screens"),
    path(f"{CAMPAIGN}texts/", TextsView.as_view(), name="api-texts"),
    path(f"{CAMPAIGN}links/", links.LinksView.as_view(), name="api-links"),
    path(
        f"{CAMPAIGN}links/withdraw/",
        links.WithdrawLinksView.as_view(),
        name="api-links-withdraw",
    ),
    path(NOTIFICATIONS, notifications.NotificationsView.as_view(), name="api-notifications"),
    path(
        f"{NOTIFICATIONS}<slug:subscription_id>/end/",
        notifications.EndNotificationsView.as_view(),
        name="api-notification-end",
    ),
    path(
        f"{NOTIFICATIONS}<slug:subscription_id>/test/",
        notifications.TestNotificationsView.as_view(),
        name="api-notification-test",
    ),
    path(f"{CAMPAIGN}items/", work.ItemList.as_view(), name="api-items"),
    path(f"{CAMPAIGN}items/listed/", ListedItemsView.as_view(), name="api-items-listed"),
    path(f"{CAMPAIGN}outputs/", work.OutputList.as_view(), name="api-outputs"),
    path(f"{CAMPAIGN}annotators/", work.AnnotatorList.as_view(), name="api-annotators"),
    path(f"{CAMPAIGN}exclusions/", work.ExclusionList.as_view(), name="api-exclusions"),
    path(f"{CAMPAIGN}gold/", gold.GoldView.as_view(), name="api-gold"),
    path(f"{CAMPAIGN}gold/people/", gold.GoldPeopleView.as_view(), name="api-gold-people"),
    path(f"{CAMPAIGN}gold/confirm/", gold.ConfirmGoldView.as_view(), name="api-gold-confirm"),
    path(f"{CAMPAIGN}gold/remove/", gold.RemoveGoldView.as_view(), name="api-gold-remove"),
    path(f"{CAMPAIGN}accounts/", AccountsView.as_view(), name="api-accounts"),
    path(f"{CAMPAIGN}extra-pay/", ExtraPayView.as_view(), name="api-extra-pay"),
    path(f"{CAMPAIGN}payouts/", PayoutListsView.as_view(), name="api-payouts"),
    path(LIST, PayoutListView.as_view(), name="api-payout"),
    path(f"{LIST}paid/", MarkPaidView.as_view(), name="api-payout-paid"),
    path(f"{LIST}undo/", UndoPaidView.as_view(), name="api-payout-undo"),
    path(f"{CAMPAIGN}budget/", marketplace.BudgetView.as_view(), name="api-budget"),
    path(f"{CAMPAIGN}fee/", marketplace.FeeView.as_view(), name="api-fee"),
    path(BATCHES, marketplace.BatchesView.as_view(), name="api-batches"),
    path(f"{BATCHES}offer/", marketplace.OfferView.as_view(), name="api-batch-offer"),
    path(f"{BATCHES}sync/", marketplace.SyncView.as_view(), name="api-batches-sync"),
    path(BATCH, marketplace.BatchView.as_view(), name="api-batch"),
    path(f"{BATCH}offer/", marketplace.OfferMoreView.as_view(), name="api-batch-offer-more"),
    path(f"{BATCH}extend/", marketplace.ExtendView.as_view(), name="api-batch-extend"),
    path(f"{BATCH}stop/", marketplace.StopView.as_view(), name="api-batch-stop"),
    path(
        f"{CAMPAIGN}units-in-doubt/",
        marketplace.SubmissionsInDoubtView.as_view(),
        name="api-doubtful",
    ),
    path(
        f"{CAMPAIGN}units-in-doubt/<int:unit_id>/pay/",
        marketplace.PayInDoubtView.as_view(),
        name="api-doubtful-pay",
    ),
    path(f"{CAMPAIGN}operations/", marketplace.OperationsView.as_view(), name="api-operations"),
    path(f"{OPERATION}retry/", marketplace.RetryView.as_view(), name="api-operation-retry"),
    path(f"{OPERATION}decide/", marketplace.DecideView.as_view(), name="api-operation-decide"),
    path(f"{OPERATION}drop/", marketplace.DropView.as_view(), name="api-operation-drop"),
    *router.urls,
]
