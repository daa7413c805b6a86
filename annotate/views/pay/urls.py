"""Paying by hand."""

from django.urls import URLPattern, path

from annotate.views.pay import pages

urlpatterns: list[URLPattern] = [
    path("campaigns/<str:public_id>/pay/", pages.page, name="pay"),
    path("campaigns/<str:public_id>/pay/give/", pages.give, name="pay-give"),
    path("campaigns/<str:public_id>/pay/lists/", pages.prepare, name="payout-prepare"),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/", pages.payout_list, name="payout-list"
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>.csv",
        pages.payout_file,
        name="payout-file",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/paid/", pages.mark, name="payout-mark"
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/undo/", pages.undo, name="payout-undo"
    ),
    path("campaigns/<str:public_id>/payments.csv", pages.statement, name="payments"),
]
