from django.urls import path
from rest_framework.routers import SimpleRouter

from annotate.api import reviews
from annotate.api.campaigns import CampaignViewSet
from annotate.api.instruments import InstrumentViewSet
from annotate.api.token import TokenView

router = SimpleRouter()
router.register("campaigns", CampaignViewSet, basename="api-campaign")
router.register("instruments", InstrumentViewSet, basename="api-instrument")

CASE = "campaigns/<slug:public_id>/reviews/<slug:pseudonym>/"
urlpatterns = [
    path("token/", TokenView.as_view(), name="api-token"),
    path("reviews/", reviews.QueueView.as_view(), name="api-reviews"),
    path(CASE, reviews.CaseView.as_view(), name="api-review"),
    path(f"{CASE}rule/", reviews.RuleView.as_view(), name="api-review-rule"),
    path(f"{CASE}dismiss/", reviews.DismissView.as_view(), name="api-review-dismiss"),
    *router.urls,
]
