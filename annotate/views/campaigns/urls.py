"""Pages of campaigns: the list, a new one, an import, the people."""

from django.urls import URLPattern, path

from annotate.views.campaigns import creating, importing, listing, people

urlpatterns: list[URLPattern] = [
    path("", listing.index, name="campaigns"),
    path("campaigns/new/", creating.new, name="campaign-new"),
    path("campaigns/new/criteria/", creating.criteria, name="campaign-criteria"),
    path("campaigns/imports/<slug:import_id>/", importing.page, name="import"),
    path("campaigns/imports/<slug:import_id>/now/", importing.now, name="import-now"),
    path("campaigns/<str:public_id>/act/<str:verb>/", listing.act, name="act"),
    path("campaigns/<str:public_id>/people/", people.people, name="people"),
    path(
        "campaigns/<str:public_id>/public-words/", people.change_public_words, name="public-words"
    ),
    path("campaigns/<str:public_id>/reviewers/", people.add_reviewer, name="reviewers"),
    path("campaigns/<str:public_id>/judgments.csv", people.export, name="export"),
]
