"""Pages about numbers."""

from django.urls import URLPattern, path

from estimation.pages import pictures, planning, recorded
from estimation.pages import views as pages_views

PLOT = "campaigns/<str:public_id>/plots/<str:criterion>/<int:system_id>/<int:upto>"
REPORT = "campaigns/<str:public_id>/report"
FIGURES = "campaigns/<str:public_id>/figures/<slug:of>/<str:criterion>.<str:kind>"
SYSTEMS = "campaigns/<str:public_id>/systems/"

app_name = "estimation"
urlpatterns: list[URLPattern] = [
    path("campaigns/<str:public_id>/", pages_views.dashboard_page, name="dashboard"),
    path("campaigns/<str:public_id>/export.zip", pages_views.download, name="export"),
    path("campaigns/<str:public_id>/export/", pages_views.standing_of, name="export-standing"),
    path("campaigns/<str:public_id>/numbers/", pages_views.numbers, name="numbers"),
    path("campaigns/<str:public_id>/activity/", pages_views.all_activity, name="activity"),
    path(FIGURES, pictures.figure, name="figure"),
    path(SYSTEMS, pictures.systems, name="systems"),
    path(f"{SYSTEMS}<str:name>.<str:kind>", pictures.picture, name="picture"),
    path(
        "campaigns/<str:public_id>/items/<int:number>/metrics/", pictures.item, name="item-metrics"
    ),
    path(f"{REPORT}/", pages_views.reporting_page, name="report"),
    path(f"{REPORT}.tex", pages_views.download_report, {"kind": "tex"}, name="report-tex"),
    path(f"{REPORT}.bib", pages_views.download_report, {"kind": "bib"}, name="report-bib"),
    path("campaigns/judgments/new/", recorded.page, name="recorded"),
    path("plan/", planning.page, name="plan"),
    path("plan/width.<str:kind>", planning.picture, name="plan-picture"),
    path("estimates/at-target/", pages_views.at_target, name="at-target"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/effect/", pages_views.effect, name="effect"),
    path(f"{PLOT}/<str:theme>.svg", pictures.trend, name="trend"),
    path(f"{PLOT}/table/", pictures.table, name="trend-table"),
    path(f"{PLOT}/data.csv", pictures.charts_data, name="trend-data"),
]
