"""Batches on a marketplace, for their researchers and for its people."""

from django.urls import URLPattern, path

from annotate.views.marketplace import acts, launching, pages

urlpatterns: list[URLPattern] = [
    path("campaigns/<str:public_id>/batches/", pages.page, name="batches"),
    path("campaigns/<str:public_id>/batches/now/", pages.now, name="batches-now"),
    path("campaigns/<str:public_id>/batches/new/", launching.new, name="batch-new"),
    path("campaigns/<str:public_id>/batches/look/", acts.look, name="batches-look"),
    path("campaigns/<str:public_id>/batches/retry/", acts.retry_all, name="batches-retry"),
    path(
        "campaigns/<str:public_id>/batches/operations/<int:operation_id>/<slug:verb>/",
        acts.operation,
        name="batch-operation",
    ),
    path(
        "campaigns/<str:public_id>/batches/units/<int:participation_id>/accept/",
        acts.accept,
        name="unit-accept",
    ),
    path("campaigns/<str:public_id>/batches/<slug:batch_id>/stop/", acts.stop, name="batch-stop"),
    path(
        "campaigns/<str:public_id>/batches/<slug:batch_id>/extend/",
        acts.extend,
        name="batch-extend",
    ),
    path("work/batch/<str:token>/", pages.preview, name="batch-preview"),
    path("work/events/<slug:crowd>/", pages.receive, name="crowd-events"),
]
