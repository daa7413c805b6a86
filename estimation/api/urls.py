from django.urls import path

from estimation.api.views import ComparisonList, DecisionList, EstimateList

urlpatterns = [
    path("campaigns/<slug:public_id>/estimates/", EstimateList.as_view(), name="api-estimates"),
    path(
        "campaigns/<slug:public_id>/comparisons/", ComparisonList.as_view(), name="api-comparisons"
    ),
    path("campaigns/<slug:public_id>/decisions/", DecisionList.as_view(), name="api-decisions"),
]
