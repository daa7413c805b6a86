"""Pages about numbers."""

from django.urls import URLPattern, path

from estimation.views import (
    charts,
    dashboard,
    effects,
    export,
    figures,
    looking,
    planning,
    reporting,
)

PLOT = "campaigns/<str:public_id>/plots/<str:criterion>/<int:system_id>/<int:upto>"
REPORT = "campaigns/<str:public_id>/report"
FIGURES = "campaigns/<str:public_id>/figures/<slug:of>/<str:criterion>.<str:kind>"
SYSTEMS = "campaigns/<str:public_id>/systems/"
ITEM = "campaigns/<str:public_id>/items/<int:number>/metrics/"

app_name = "estimation"
urlpatterns: list[URLPattern] = [
    path("campaigns/<str:public_id>/", dashboard.page, name="dashboard"),
    path("campaigns/<str:public_id>/export.zip", export.download, name="export"),
    path("campaigns/<str:public_id>/export/", export.standing_of, name="export-standing"),
    path("campaigns/<str:public_id>/numbers/", dashboard.numbers, name="numbers"),
    path("campaigns/<str:public_id>/activity/", dashboard.all_activity, name="activity"),
    path(FIGURES, figures.figure, name="figure"),
    path(SYSTEMS, looking.systems, name="systems"),
    path(
        "campaigns/<str:public_id>/systems/<str:name>.<str:kind>", looking.picture, name="picture"
    ),
    path(
        "campaigns/<str:public_id>/items/<int:number>/metrics/", looking.item, name="item-metrics"
    ),
    path(f"{REPORT}/", reporting.page, name="report"),
    path(f"{REPORT}.tex", reporting.download, {"kind": "tex"}, name="report-tex"),
    path(f"{REPORT}.bib", reporting.download, {"kind": "bib"}, name="report-bib"),
    path("plan/", planning.page, name="plan"),
    path("plan/width.<str:kind>", planning.picture, name="plan-picture"),
    path("estimates/at-target/", dashboard.at_target, name="at-target"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/effect/", effects.effect, name="effect"),
    path(f"{PLOT}/<str:theme>.svg", charts.trend, name="trend"),
    path(f"{PLOT}/table/", charts.table, name="trend-table"),
    path(f"{PLOT}/data.csv", charts.data, name="trend-data"),
]
