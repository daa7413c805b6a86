"""The annotator's pages and what they ask of the server."""

from django.urls import URLPattern, path

from annotate.views.work import acts, entry, own_pages, pages, tutorial

urlpatterns: list[URLPattern] = [
    path("work/join/<str:token>/", pages.join, name="join"),
    path("work/preview/<str:token>/", pages.preview, name="preview"),
    path("work/on/<slug:crowd>/<str:token>/", entry.entry, name="entry"),
    path("work/p/<str:token>/", pages.page, name="work"),
    path("work/p/<str:token>/help/", pages.beside, name="beside"),
    path("work/p/<str:token>/me/", own_pages.me, name="me"),
    path("work/appeal", own_pages.appeal, name="appeal"),
    path("work/feedback", own_pages.give_feedback, name="feedback"),
    path("work/a/<int:assignment_id>/heartbeat", acts.heartbeat, name="work-heartbeat"),
    path("work/a/<int:assignment_id>/draft", acts.draft, name="work-draft"),
    path("work/a/<int:assignment_id>/submit", acts.submit, name="work-submit"),
    path("work/a/<int:assignment_id>/return", acts.give_back, name="work-return"),
    path("work/tutorial/answer", tutorial.answer, name="tutorial-answer"),
]
