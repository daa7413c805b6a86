"""The addresses of the pages about work, subject by subject."""

from django.urls import URLPattern, path

from annotate.views.accounts import own, passwords, second_factor
from annotate.views.campaigns import (
    budgets,
    creating,
    gold,
    importing,
    invited,
    listing,
    members,
    notifications,
    people,
    screens,
    steps,
    texts,
)
from annotate.views.marketplace import acts as marketplace_acts
from annotate.views.marketplace import launching
from annotate.views.marketplace import pages as marketplace_pages
from annotate.views.pay import pages as pay_pages
from annotate.views.review import everywhere, items, page_signals, together
from annotate.views.review import pages as review_pages
from annotate.views.studies import (
    first_items,
    instrument_forms,
    instruments,
    previews,
    tutorial_contents,
    tutorial_forms,
)
from annotate.views.work import acts as work_acts
from annotate.views.work import beforehand, entry, own_pages, tutorial
from annotate.views.work import pages as work_pages

app_name = "annotate"
ACCOUNTS: list[URLPattern] = [
    path("account/", own.page, name="account"),
    path("account/settings/", own.change_settings, name="account-settings"),
    path("account/email/", own.change_email, name="account-email"),
    path("account/password/", own.password, name="password"),
    path("account/second-factor/", second_factor.turn_on, name="second-factor"),
    path("account/second-factor/off/", second_factor.turn_off, name="second-factor-off"),
    path("account/second-factor/codes/", second_factor.renew_codes, name="second-factor-codes"),
    path("account/browsers/end-others/", own.end_others, name="browsers-end"),
    path("account/browsers/<int:sign_in_id>/end/", own.end_browser, name="browser-end"),
    path("account/tokens/", own.make_token, name="token-new"),
    path("account/tokens/<int:token_id>/revoke/", own.revoke_token, name="token-revoke"),
    path("forgotten-password/", passwords.ask, name="password-forgotten"),
    path("new-password/<str:uidb64>/<str:token>/", passwords.new_password, name="new-password"),
    path("invitations/<str:token>/", invited.page, name="invitation"),
]
CAMPAIGNS: list[URLPattern] = [
    path("", listing.index, name="campaigns"),
    path("campaigns/new/", creating.new, name="campaign-new"),
    path("campaigns/imports/<slug:import_id>/", importing.page, name="import"),
    path("campaigns/imports/<slug:import_id>/now/", importing.now, name="import-now"),
    path("campaigns/imports/<slug:import_id>/plan/takes/", steps.takes, name="import-takes"),
    path(
        "campaigns/imports/<slug:import_id>/questions/tutorial/",
        steps.tutorial,
        name="import-tutorial",
    ),
    path(
        "campaigns/imports/<slug:import_id>/items/<int:number>/",
        first_items.page,
        name="import-item",
    ),
    path("campaigns/imports/<slug:import_id>/<slug:step>/", steps.page, name="import-step"),
    path("campaigns/<str:public_id>/act/<str:verb>/", listing.act, name="act"),
    path(
        "campaigns/<str:public_id>/delete/",
        listing.act,
        {"verb": "delete"},
        name="campaign-delete",
    ),
    path("campaigns/<str:public_id>/gold/", gold.page, name="gold"),
    path("campaigns/<str:public_id>/people/", people.people, name="people"),
    path("campaigns/<str:public_id>/texts/", texts.texts, name="texts"),
    path("campaigns/<str:public_id>/screens/", screens.screens, name="screens"),
    path("campaigns/<str:public_id>/links/withdraw/", people.withdraw_links, name="withdraw-links"),
    path("campaigns/<str:public_id>/members/", members.page, name="members"),
    path("campaigns/<str:public_id>/members/leave/", members.leave, name="member-leave"),
    path(
        "campaigns/<str:public_id>/members/<int:member_id>/role/",
        members.change_role,
        name="member-role",
    ),
    path(
        "campaigns/<str:public_id>/members/<int:member_id>/remove/",
        members.remove,
        name="member-remove",
    ),
    path(
        "campaigns/<str:public_id>/invitations/<slug:invitation_id>/revoke/",
        members.revoke,
        name="invitation-revoke",
    ),
    path("campaigns/<str:public_id>/notifications/", notifications.page, name="notifications"),
    path(
        "campaigns/<str:public_id>/notifications/<slug:subscription_id>/end/",
        notifications.end,
        name="notification-end",
    ),
    path(
        "campaigns/<str:public_id>/notifications/<slug:subscription_id>/test/",
        notifications.test,
        name="notification-test",
    ),
    path("campaigns/<str:public_id>/judgments.csv", people.export, name="export"),
]
STUDIES: list[URLPattern] = [
    path("instruments/", instruments.index, name="instruments"),
    path("instruments/new/", instruments.new, name="instrument-new"),
    path("instruments/form/", instrument_forms.page, name="instrument-form"),
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
    path("instruments/<slug:key>/tutorials/form/", tutorial_forms.page, name="tutorial-form"),
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
WORK: list[URLPattern] = [
    path("work/join/<str:token>/", work_pages.join, name="join"),
    path("work/preview/<str:token>/", work_pages.preview, name="preview"),
    path("work/on/<slug:crowd>/<str:token>/", entry.entry, name="entry"),
    path("work/p/<str:token>/", work_pages.page, name="work"),
    path("work/p/<str:token>/consent/", beforehand.consent, name="consent"),
    path("work/p/<str:token>/background/", beforehand.background, name="background"),
    path("work/p/<str:token>/correct/", work_pages.correct, name="correct"),
    path("work/p/<str:token>/help/", work_pages.beside, name="beside"),
    path("work/p/<str:token>/me/", own_pages.me, name="me"),
    path("work/appeal", own_pages.appeal, name="appeal"),
    path("work/feedback", own_pages.give_feedback, name="feedback"),
    path("work/a/<int:assignment_id>/heartbeat", work_acts.heartbeat, name="work-heartbeat"),
    path("work/a/<int:assignment_id>/draft", work_acts.draft, name="work-draft"),
    path("work/a/<int:assignment_id>/ahead", work_acts.ahead, name="work-ahead"),
    path("work/a/<int:assignment_id>/submit", work_acts.submit, name="work-submit"),
    path("work/a/<int:assignment_id>/correct", work_acts.correct, name="work-correct"),
    path("work/a/<int:assignment_id>/return", work_acts.give_back, name="work-return"),
    path("work/tutorial/answer", tutorial.answer, name="tutorial-answer"),
]
REVIEW: list[URLPattern] = [
    path("campaigns/<str:public_id>/items/", items.index, name="items"),
    path("campaigns/<str:public_id>/items/<int:number>/", items.page, name="item"),
    path("reviews/", review_pages.queue, name="reviews"),
    path("reviews/together/", together.page, name="review-together"),
    path("reviews/annotators/<slug:pseudonym>/", everywhere.page, name="review-everywhere"),
    path("reviews/<slug:public_id>/<slug:pseudonym>/", review_pages.case, name="review"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/signals/",
        page_signals.put_aside,
        name="review-signals",
    ),
    path("reviews/<slug:public_id>/<slug:pseudonym>/rule/", review_pages.rule, name="review-rule"),
    path(
        "reviews/<slug:public_id>/<slug:pseudonym>/dismiss/",
        review_pages.dismiss,
        name="review-dismiss",
    ),
]
PAY: list[URLPattern] = [
    path("campaigns/<str:public_id>/pay/", pay_pages.page, name="pay"),
    path("campaigns/<str:public_id>/budget/", budgets.page, name="budget"),
    path("campaigns/<str:public_id>/pay/budget/", budgets.later, name="pay-budget"),
    path("campaigns/<str:public_id>/pay/give/", pay_pages.give, name="pay-give"),
    path("campaigns/<str:public_id>/pay/lists/", pay_pages.prepare, name="payout-prepare"),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/",
        pay_pages.payout_list,
        name="payout-list",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>.csv",
        pay_pages.payout_file,
        name="payout-file",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/paid/",
        pay_pages.mark,
        name="payout-mark",
    ),
    path(
        "campaigns/<str:public_id>/pay/lists/<slug:list_id>/undo/",
        pay_pages.undo,
        name="payout-undo",
    ),
    path("campaigns/<str:public_id>/payments.csv", pay_pages.statement, name="payments"),
]
MARKETPLACE: list[URLPattern] = [
    path("campaigns/<str:public_id>/batches/", marketplace_pages.page, name="batches"),
    path("campaigns/<str:public_id>/batches/now/", marketplace_pages.now, name="batches-now"),
    path("campaigns/<str:public_id>/batches/new/", launching.new, name="batch-new"),
    path("campaigns/<str:public_id>/batches/look/", marketplace_acts.look, name="batches-look"),
    path(
        "campaigns/<str:public_id>/batches/retry/", marketplace_acts.retry_all, name="batches-retry"
    ),
    path(
        "campaigns/<str:public_id>/batches/operations/<int:operation_id>/<slug:verb>/",
        marketplace_acts.operation,
        name="batch-operation",
    ),
    path(
        "campaigns/<str:public_id>/batches/units/<int:participation_id>/accept/",
        marketplace_acts.accept,
        name="unit-accept",
    ),
    path(
        "campaigns/<str:public_id>/batches/<slug:batch_id>/stop/",
        marketplace_acts.stop,
        name="batch-stop",
    ),
    path(
        "campaigns/<str:public_id>/batches/<slug:batch_id>/extend/",
        marketplace_acts.extend,
        name="batch-extend",
    ),
    path("work/batch/<str:token>/", marketplace_pages.preview, name="batch-preview"),
    path("work/events/<slug:crowd>/", marketplace_pages.receive, name="crowd-events"),
]
urlpatterns = [*ACCOUNTS, *CAMPAIGNS, *STUDIES, *WORK, *REVIEW, *PAY, *MARKETPLACE]
