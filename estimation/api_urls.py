from django.urls import path

from estimation.pages.api import (
    ActivityView,
    AgreementList,
    ComparisonList,
    DecisionList,
    EffectView,
    EstimateList,
    ExportView,
    MetricList,
    PlanView,
    RankingView,
    ReportView,
    SensitivityView,
)
from estimation.pages.recorded import RecordedView

urlpatterns = [
    path("recorded/", RecordedView.as_view(), name="api-recorded"),
    path("plan/", PlanView.as_view(), name="api-plan"),
    path("campaigns/<slug:public_id>/estimates/", EstimateList.as_view(), name="api-estimates"),
    path(
        "campaigns/<slug:public_id>/comparisons/", ComparisonList.as_view(), name="api-comparisons"
    ),
    path("campaigns/<slug:public_id>/report/", ReportView.as_view(), name="api-report"),
    path("campaigns/<slug:public_id>/ranking/", RankingView.as_view(), name="api-ranking"),
    path("campaigns/<slug:public_id>/decisions/", DecisionList.as_view(), name="api-decisions"),
    path("campaigns/<slug:public_id>/activity/", ActivityView.as_view(), name="api-activity"),
    path("campaigns/<slug:public_id>/export/", ExportView.as_view(), name="api-export"),
    path("campaigns/<slug:public_id>/metrics/", MetricList.as_view(), name="api-metrics"),
    path("campaigns/<slug:public_id>/agreement/", AgreementList.as_view(), name="api-agreement"),
    path(
        "campaigns/<slug:public_id>/reviews/<slug:pseudonym>/effect/",
        EffectView.as_view(),
        name="api-effect",
    ),
    path(
        "campaigns/<slug:public_id>/sensitivity/", SensitivityView.as_view(), name="api-sensitivity"
    ),
]
