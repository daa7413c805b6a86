from django.urls import path
from rest_framework.routers import SimpleRouter

from annotate.api.campaigns import CampaignViewSet
from annotate.api.instruments import InstrumentViewSet
from annotate.api.token import TokenView

router = SimpleRouter()
router.register("campaigns", CampaignViewSet, basename="api-campaign")
router.register("instruments", InstrumentViewSet, basename="api-instrument")

urlpatterns = [path("token/", TokenView.as_view(), name="api-token"), *router.urls]
