"""The addresses of the pages about work, subject by subject."""

from django.urls import URLPattern, path

from annotate.accounts import views as accounts_views
from annotate.campaigns import views as campaigns_views
from annotate.campaigns import wizard
from annotate.crowds import views as crowds_views
from annotate.notifications import views as notifications_views
from annotate.pay import views as pay_views
from annotate.review import gold_views, items_views
from annotate.review import views as review_views
from annotate.studies import views as studies_views
from annotate.work import endpoints
from annotate.work import pages as work_pages

app_name = "annotate"
ACCOUNTS: list[URLPattern] = [
    path("account/", accounts_views.own_page, name="account"),
    path("account/settings/", accounts_views.change_settings, name="account-settings"),
    path("account/email/", accounts_views.change_email, name="account-email"),
    path("account/password/", accounts_views.password, name="password"),
    path("account/second-factor/", accounts_views.turn_on, name="second-factor"),
    path("account/second-factor/off/", accounts_views.turn_off, name="second-factor-off"),
    path("account/second-factor/codes/", accounts_views.renew_codes, name="second-factor-codes"),
    path("account/browsers/end-others/", accounts_views.end_others, name="browsers-end"),
    path("account/browsers/<int:sign_in_id>/end/", accounts_views.end_browser, name="browser-end"),
    path("account/tokens/", accounts_views.make_token, name="token-new"),
    path("account/tokens/<int:token_id>/revoke/", accounts_views.revoke_token, name="token-revoke"),
    path("forgotten-password/", accounts_views.ask, name="password-forgotten"),
    path(
        "new-password/<str:uidb64>/<str:token>/",
        accounts_views.NewPassword.as_view(),
        name="new-password",
    ),
    path("invitations/<str:token>/", campaigns_views.invited_page, name="invitation"),
]
CAMPAIGNS: list[URLPattern] = [
    path("", campaigns_views.index, name="campaigns"),
    path("campaigns/new/", wizard.new, name="campaign-new"),
    path("campaigns/imports/<slug:import_id>/", wizard.import_page, name="import"),
    path("campaigns/imports/<slug:import_id>/now/", wizard.import_now, name="import-now"),
    path("campaigns/imports/<slug:import_id>/plan/takes/", wizard.takes, name="import-takes"),
    path(
        "campaigns/imports/<slug:import_id>/questions/tutorial/",
        wizard.tutorial,
        name="import-tutorial",
    ),
    path(
        "campaigns/imports/<slug:import_id>/items/<int:number>/",
        studies_views.first_items_page,
        name="import-item",
    ),
    path("campaigns/imports/<slug:import_id>/<slug:step>/", wizard.steps_page, name="import-step"),
    path("campaigns/<str:public_id>/act/<str:verb>/", campaigns_views.act, name="act"),
    path(
        "campaigns/<str:public_id>/delete/",
        campaigns_views.act,
        {"verb": "delete"},
        name="campaign-delete",
    ),
    path("campaigns/<str:public_id>/gold/", gold_views.gold_page, name="gold"),
    path("campaigns/<str:public_id>/people/", campaigns_views.people, name="people"),
    path("campaigns/<str:public_id>/texts/", campaigns_views.texts, name="texts"),
    path("campaigns/<str:public_id>/screens/", campaigns_views.screens, name="screens"),
    path(
        "campaigns/<str:public_id>/links/withdraw/",
        campaigns_views.withdraw_links,
        name="withdraw-links",
    ),
    path(
        "campaigns/<str:public_id>/experts/release/",
        campaigns_views.release_expert,
        name="expert-release",
    ),
    path("campaigns/<str:public_id>/members/", campaigns_views.members_page, name="members"),
    path("campaigns/<str:public_id>/members/leave/", campaigns_views.leave, name="member-leave"),
    path(
        "campaigns/<str:public_id>/members/<int:member_id>/role/",
        campaigns_views.change_role,
        name="member-role",
    ),
    path(
        "campaigns/<str:public_id>/members/<int:member_id>/remove/",
        campaigns_views.remove,
        name="member-remove",
    ),
    path(
        "campaigns/<str:public_id>/invitations/<slug:invitation_id>/revoke/",
        campaigns_views.revoke,
        name="invitation-revoke",
    ),
    path(
        "campaigns/<str:public_id>/notifications/",
        notifications_views.notifications_page,
        name="notifications",
    ),
    path(
        "campaigns/<str:public_id>/notifications/<slug:subscription_id>/end/",
        notifications_views.end,
        name="notification-end",
    ),
    path(
        "campaigns/<str:public_id>/notifications/<slug:subscription_id>/test/",
        notifications_views.test,
        name="notification-test",
    ),
    path("campaigns/<str:public_id>/judgments.csv", campaigns_views.export, name="export"),
]
STUDIES: list[URLPattern] = [
    path("instruments/", studies_views.index, name="instruments"),
    path("instruments/new/", studies_views.new, name="instrument-new"),
    path("instruments/form/", studies_views.instrument_forms_page, name="instrument-form"),
    path("instruments/<slug:key>/<slug:version>.json", studies_views.download, name="instrument"),
    path("instruments/new/preview/", studies_views.instrument_draft, name="instrument-draft"),
    path(
        "instruments/<slug:key>/tutorials/preview/",
        studies_views.tutorial_draft,
        name="tutorial-draft",
    ),
    path("instruments/<slug:key>/tutorials/grade/", studies_views.grade, name="tutorial-grade"),
    path(
        "instruments/<slug:key>/tutorials/<int:tutorial_id>/preview/",
        studies_views.tutorial_stored,
        name="tutorial-stored-preview",
    ),
    path(
        "instruments/<slug:key>/tutorials/<slug:language>/preview/",
        studies_views.tutorial_builtin,
        name="tutorial-builtin-preview",
    ),
    path(
        "instruments/<slug:key>/<slug:version>/preview/",
        studies_views.instrument,
        name="instrument-preview",
    ),
    path(
        "instruments/<slug:key>/tutorials/", studies_views.tutorial_contents_page, name="tutorials"
    ),
    path(
        "instruments/<slug:key>/tutorials/form/",
        studies_views.tutorial_forms_page,
        name="tutorial-form",
    ),
    path(
        "instruments/<slug:key>/tutorials/<int:tutorial_id>.json",
        studies_views.tutorial_contents_stored,
        name="tutorial-stored",
    ),
    path(
        "instruments/<slug:key>/tutorials/<slug:language>.json",
        studies_views.builtin,
        name="tutorial-builtin",
    ),
]
WORK: list[URLPattern] = [
    path("work/join/<str:token>/", work_pages.join, name="join"),
    path("work/preview/<str:token>/", work_pages.preview, name="preview"),
    path("work/on/<slug:crowd>/<str:token>/", work_pages.entry, name="entry"),
    path("work/p/<str:token>/", work_pages.page, name="work"),
    path("work/p/<str:token>/consent/", work_pages.consent, name="consent"),
    path("work/p/<str:token>/background/", work_pages.background, name="background"),
    path("work/p/<str:token>/correct/", work_pages.correct, name="correct"),
    path("work/p/<str:token>/help/", work_pages.beside, name="beside"),
    path("work/p/<str:token>/me/", work_pages.me, name="me"),
    path("work/appeal", work_pages.appeal, name="appeal"),
    path("work/feedback", work_pages.give_feedback, name="feedback"),
    path("work/a/<int:assignment_id>/heartbeat", endpoints.heartbeat, name="work-heartbeat"),
    path("work/a/<int:assignment_id>/draft", endpoints.draft, name="work-draft"),
    path("work/a/<int:assignment_id>/ahead", endpoints.ahead, name="work-ahead"),
    path("work/a/<int:assignment_id>/submit", endpoints.submit, name="work-submit"),
    path("work/a/<int:assignment_id>/correct", endpoints.correct, name="work-correct"),
    path("work/a/<int:assignment_id>/return", endpoints.give_back, name="work-return"),
    path("work/tutorial/answer", work_pages.answer, name="tutorial-answer"),
]
REVIEW: list[URLPattern] = [
    path("campaigns/<str:public_id>/items/", items_views.index, name="items"),
    path("campaigns/<str:public_id>/items/<int:number>/", items_views.items_view, name="item"),
    path("reviews/", review_views.queue, name="reviews"),
    path("reviews/together/", review_views.together_page, name="review-together"),
    path(
        "reviews/annotators/<slug:pseudonym>/",
        review_views.everywhere_page,
        name="review-everywhere",
    ),
    path("reviews/<slug:public_id>/<slug:pseudonym>/", review_views.case, name="review"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/signals/",
        review_views.put_aside,
        name="review-signals",
    ),
    path("reviews/<slug:public_id>/<slug:pseudonym>/rule/", review_views.rule, name="review-rule"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/dismiss/",
        review_views.dismiss,
        name="review-dismiss",
    ),
]
PAY: list[URLPattern] = [
    path("campaigns/<str:public_id>/pay/", pay_views.page, name="pay"),
    path("campaigns/<str:public_id>/budget/", campaigns_views.budgets_page, name="budget"),
    path("campaigns/<str:public_id>/pay/budget/", campaigns_views.later, name="pay-budget"),
    path("campaigns/<str:public_id>/pay/give/", pay_views.give, name="pay-give"),
    path("campaigns/<str:public_id>/pay/lists/", pay_views.prepare, name="payout-prepare"),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/",
        pay_views.payout_list,
        name="payout-list",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>.csv",
        pay_views.payout_file,
        name="payout-file",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/paid/",
        pay_views.mark,
        name="payout-mark",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/undo/",
        pay_views.undo,
        name="payout-undo",
    ),
    path("campaigns/<str:public_id>/payments.csv", pay_views.statement, name="payments"),
]
MARKETPLACE: list[URLPattern] = [
    path("campaigns/<str:public_id>/batches/", crowds_views.batches_page, name="batches"),
    path("campaigns/<str:public_id>/batches/now/", crowds_views.batches_now, name="batches-now"),
    path("campaigns/<str:public_id>/batches/new/", crowds_views.new, name="batch-new"),
    path("campaigns/<str:public_id>/batches/look/", crowds_views.look, name="batches-look"),
    path("campaigns/<str:public_id>/batches/retry/", crowds_views.retry_all, name="batches-retry"),
    path(
        "campaigns/<str:public_id>/batches/operations/<int:operation_id>/<slug:verb>/",
        crowds_views.operation,
        name="batch-operation",
    ),
    path(
        "campaigns/<str:public_id>/batches/units/<int:participation_id>/accept/",
        crowds_views.accept,
        name="unit-accept",
    ),
    path(
        "campaigns/<str:public_id>/batches/<slug:batch_id>/stop/",
        crowds_views.stop,
        name="batch-stop",
    ),
    path(
        "campaigns/<str:public_id>/batches/<slug:batch_id>/extend/",
        crowds_views.extend,
        name="batch-extend",
    ),
    path("work/batch/<str:token>/", crowds_views.preview, name="batch-preview"),
    path("work/events/<slug:crowd>/", crowds_views.receive, name="crowd-events"),
]
urlpatterns = [*ACCOUNTS, *CAMPAIGNS, *STUDIES, *WORK, *REVIEW, *PAY, *MARKETPLACE]
