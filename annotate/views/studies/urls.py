"""Pages of instruments and tutorials."""

from django.urls import URLPattern, path

from annotate.views.studies import instruments, previews, tutorial_contents

urlpatterns: list[URLPattern] = [
    path("instruments/", instruments.index, name="instruments"),
    path("instruments/new/", instruments.new, name="instrument-new"),
    path("instruments/<slug:key>/<slug:version>.json", instruments.download, name="instrument"),
    path("instruments/new/preview/", previews.instrument_draft, name="instrument-draft"),
    path(
        "instruments/<slug:key>/tutorials/preview/", previews.tutorial_draft, name="tutorial-draft"
    ),
    path("instruments/<slug:key>/tutorials/grade/", previews.grade, name="tutorial-grade"),
    path(
        "instruments/<slug:key>/tutorials/<int:tutorial_id>/preview/",
        previews.tutorial_stored,
        name="tutorial-stored-preview",
    ),
    path(
        "instruments/<slug:key>/tutorials/<slug:language>/preview/",
        previews.tutorial_builtin,
        name="tutorial-builtin-preview",
    ),
    path(
        "instruments/<slug:key>/<slug:version>/preview/",
        previews.instrument,
        name="instrument-preview",
    ),
    path("instruments/<slug:key>/tutorials/", tutorial_contents.page, name="tutorials"),
    path(
        "instruments/<slug:key>/tutorials/<int:tutorial_id>.json",
        tutorial_contents.stored,
        name="tutorial-stored",
    ),
    path(
        "instruments/<slug:key>/tutorials/<slug:language>.json",
        tutorial_contents.builtin,
        name="tutorial-builtin",
    ),
]
