"""Pages about work, subject by subject."""

from django.urls import URLPattern

from annotate.views.campaigns import urls as campaigns
from annotate.views.marketplace import urls as marketplace
from annotate.views.pay import urls as pay
from annotate.views.review import urls as review
from annotate.views.studies import urls as studies
from annotate.views.work import urls as work

app_name = "annotate"
urlpatterns: list[URLPattern] = [
    *campaigns.urlpatterns,
    *studies.urlpatterns,
    *work.urlpatterns,
    *review.urlpatterns,
    *pay.urlpatterns,
    *marketplace.urlpatterns,
]
