"""The reviewer's pages."""

from django.urls import URLPattern, path

from annotate.views.review import everywhere, pages

urlpatterns: list[URLPattern] = [
    path("reviews/", pages.queue, name="reviews"),
    path("reviews/annotators/<slug:pseudonym>/", everywhere.page, name="review-everywhere"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/", pages.case, name="review"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/rule/", pages.rule, name="review-rule"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/dismiss/", pages.dismiss, name="review-dismiss"
    ),
]
