"""Pages about work."""

from django.urls import URLPattern, path

from annotate.views import (
    campaigns,
    campaigns_new,
    campaigns_pay,
    campaigns_people,
    crowd_events,
    instruments,
    previews,
    review_everywhere,
    reviews,
    tutorial,
    tutorial_contents,
    work,
    work_api,
    work_entry,
    work_own,
)

app_name = "annotate"
urlpatterns: list[URLPattern] = [
    path("", campaigns.index, name="campaigns"),
    path("campaigns/new/", campaigns_new.new, name="campaign-new"),
    path("campaigns/new/criteria/", campaigns_new.criteria, name="campaign-criteria"),
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
    path("campaigns/<str:public_id>/act/<str:verb>/", campaigns.act, name="act"),
    path("campaigns/<str:public_id>/people/", campaigns_people.people, name="people"),
    path("campaigns/<str:public_id>/reviewers/", campaigns_people.add_reviewer, name="reviewers"),
    path("campaigns/<str:public_id>/pay/", campaigns_pay.page, name="pay"),
    path("campaigns/<str:public_id>/pay/give/", campaigns_pay.give, name="pay-give"),
    path("campaigns/<str:public_id>/pay/lists/", campaigns_pay.prepare, name="payout-prepare"),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/",
        campaigns_pay.payout_list,
        name="payout-list",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>.csv",
        campaigns_pay.payout_file,
        name="payout-file",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/paid/",
        campaigns_pay.mark,
        name="payout-mark",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/undo/",
        campaigns_pay.undo,
        name="payout-undo",
    ),
    path("campaigns/<str:public_id>/payments.csv", campaigns_pay.statement, name="payments"),
    path("campaigns/<str:public_id>/judgments.csv", campaigns_people.export, name="export"),
    path("reviews/", reviews.queue, name="reviews"),
    path("reviews/annotators/<slug:pseudonym>/", review_everywhere.page, name="review-everywhere"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/", reviews.case, name="review"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/rule/", reviews.rule, name="review-rule"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/dismiss/",
        reviews.dismiss,
        name="review-dismiss",
    ),
    path("work/join/<str:token>/", work.join, name="join"),
    path("work/preview/<str:token>/", work.preview, name="preview"),
    path("work/on/<slug:crowd>/<str:token>/", work_entry.entry, name="entry"),
    path("work/p/<str:token>/", work.page, name="work"),
    path("work/events/<slug:crowd>/", crowd_events.receive, name="crowd-events"),
    path("work/p/<str:token>/me/", work_own.me, name="me"),
    path("work/appeal", work_own.appeal, name="appeal"),
    path("work/feedback", work_own.give_feedback, name="feedback"),
    path("work/tutorial/answer", tutorial.answer, name="tutorial-answer"),
    path("work/a/<int:assignment_id>/heartbeat", work_api.heartbeat, name="work-heartbeat"),
    path("work/a/<int:assignment_id>/draft", work_api.draft, name="work-draft"),
    path("work/a/<int:assignment_id>/submit", work_api.submit, name="work-submit"),
    path("work/a/<int:assignment_id>/return", work_api.give_back, name="work-return"),
]
