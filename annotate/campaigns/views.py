"""The pages of a campaign: list, acts, budget, screens, texts, people, members, invitations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.accounts.forms import ROLES, InviteForm, NewAccountForm
from annotate.campaigns import amendments, creating, exports, imports, life, members, progress
from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.forms import NamesForm, ReasonForm, ReleaseForm, ScreensForm, TextsForm
from annotate.common import limits
from annotate.common import lists as common_lists
from annotate.common.access import (
    Access,
    access,
    is_owner,
    is_running,
    made_here,
    owned,
    researcher_page,
    reviewable,
    run,
    visible,
    with_results,
)
from annotate.common.errors import Conflict, Invalid, NotFound, ServiceError
from annotate.common.limits import client_address
from annotate.common.mail import invitation_link
from annotate.common.numbers import many, money_text, unit_of_money
from annotate.common.requests import csv_file
from annotate.common.rows import Amendment
from annotate.common.tokens import preview_token
from annotate.crowds import adapters
from annotate.crowds.adapters import publishes
from annotate.models import Campaign, Invitation
from annotate.models.base import CampaignStatus, MemberRole
from annotate.pay import budget as pay_budget
from annotate.pay import queries as pay_queries
from annotate.screening.screens import SCREENS, by_path
from annotate.screening.signals import signals_on
from annotate.studies import queries as studies_queries
from annotate.studies.queries import ReadTexts
from annotate.work import experts
from annotate.work import queries as work_queries


@dataclass(frozen=True)
class StateChange:
    """A change of state: what is asked before it (if anything), and what is said after it."""

    do: Callable[[Campaign, int, str], object]
    done: str
    title: str = ""  # "": done at once
    button: str = ""
    asks_why: bool = False
    ends: bool = False  # what only owners do, and after which the campaign has no page


ACTS = {
    "open": StateChange(
        lambda campaign, user, _why: life.open_(campaign.pk, actor_id=user),
        "The campaign is open: everyone with its link can judge.",
    ),
    "pause": StateChange(
        lambda campaign, user, _why: life.pause(campaign.pk, actor_id=user),
        "The campaign is paused: no one gets a new text. Texts being judged may still be sent.",
    ),
    "close": StateChange(
        lambda campaign, user, _why: _must(
            life.close(campaign.pk, Campaign.Reason.HAND, actor_id=user)
        ),
        "The campaign is closing: items already begun are finished first.",
        title="Close this campaign?",
        button="Close the campaign",
    ),
    "finish": StateChange(
        lambda campaign, user, _why: _must(life.finish(campaign.pk, actor_id=user, reason="hand")),
        "The campaign is closed.",
        title="Finish now?",
        button="Finish now",
    ),
    "reopen": StateChange(
        lambda campaign, user, why: life.reopen(campaign.pk, actor_id=user, why=why),
        "The campaign is open again.",
        title="Reopen this campaign?",
        button="Reopen the campaign",
        asks_why=True,
    ),
    "bound_metrics": StateChange(
        lambda campaign, user, why: _must(
            amendments.bound(campaign.pk, actor_id=user, why=why),
            "The metrics enter bounded already. Nothing was done.",
        ),
        "The metrics enter bounded from now on. All estimates are made again.",
        title="Use bounded metrics?",
        button="Use bounded metrics",
        asks_why=True,
    ),
    "archive": StateChange(
        lambda campaign, user, _why: life.archive(campaign.pk, actor_id=user),
        "The campaign is archived.",
        title="Archive this campaign?",
        button="Archive the campaign",
    ),
    "delete": StateChange(
        lambda campaign, user, _why: creating.delete(campaign.pk, actor_id=user),
        "The draft is deleted.",
        title="Delete this draft?",
        button="Delete the draft",
        ends=True,
    ),
}


AT_A_CROWD = {
    "open": "The campaign is open. People come as soon as a batch is launched.",
    "pause": "The campaign is paused, and its batches are stopped for good. Running work may still "
    "be sent in, and is paid. Once you go on, launch another batch.",
    "reopen": "The campaign is open again. What was published before stays stopped: people come as "
    "soon as another batch is launched.",
}


ORDERS = {"attention": "What needs attention first", "new": "Newest", "name": "Name"}
PARTS = {
    "all": "All but archived",
    "running": "Open, paused or closing",
    "draft": "Drafts",
    "closed": "Closed",
    "archived": "Archive",
}
ROWS = 25  # on a page


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest) -> HttpResponseBase:
    user = _user(request)
    asked = common_lists.asked(
        request.GET, sorts=ORDERS, choices=PARTS, size=ROWS, anchor="campaigns-h"
    )
    listing, campaigns = campaigns_lists.listed(user, asked)
    context = {
        "campaigns": campaigns,
        "listing": listing,
        "any": bool(campaigns) or campaigns_lists.has_any(user),
        "archived": campaigns_lists.n_archived(user),
        "imports": imports.drafts(user),
        "upload_limit": settings.UPLOAD_LIMIT // (1024 * 1024),
        "section": "campaigns",
    }
    return render(request, "campaigns/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """GET says what will happen, POST does it; an act without a question is a POST at once."""
    if verb not in ACTS:
        raise NotFound("There is no such act.")
    asked = ACTS[verb]
    campaign = (owned if asked.ends else run)(request.user, public_id)
    form = ReasonForm(request.POST or None)
    if request.method != "POST" or (asked.asks_why and not form.is_valid()):
        if not asked.title:
            return redirect("estimation:dashboard", public_id)
        context = {
            "campaign": campaign,
            "verb": verb,
            "act": asked,
            "form": form,
            "progress": progress.progress(campaign.pk, cap=campaign.annotator_cap),
            "section": "campaigns",
        }
        status = 422 if form.is_bound and not form.is_valid() else 200
        return render(request, "campaigns/confirm.html", context, status=status)
    try:
        asked.do(campaign, _user(request), form["why"].value() or "")
        at_a_crowd = AT_A_CROWD if publishes(campaign.crowd) else {}
        messages.success(request, at_a_crowd.get(verb, asked.done))
        if asked.ends:
            return redirect("annotate:campaigns")
    except Conflict as refused:
        messages.error(request, refused.message)
    return redirect("estimation:dashboard", public_id)


def _must(
    done: bool, why: str = "The campaign’s state has changed meanwhile. Nothing was done."
) -> None:
    if not done:
        raise Conflict(why)


# What the budget of a campaign holds, on the pages of people and of pay, and its raising.
#
# It adds up every commitment, so a campaign of many people shows it after the page.


MANY = 2000  # people


def budget_context(campaign: Any, *, n: int) -> dict[str, Any]:
    """Return the budget for a page with `n` people: figures, or the address to load them."""
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    return {"budget_later": True} if n > MANY else _held(campaign)


class BudgetForm(forms.Form):
    budget = forms.DecimalField(label="New budget", max_digits=10, decimal_places=2, min_value=0)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def budgets_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Raise the budget."""
    campaign = owned(request.user, public_id)
    if campaign.budget is None:
        raise NotFound("This campaign has no budget.")
    form = BudgetForm(request.POST or None)
    form.fields["budget"].label = f"New budget, in {unit_of_money()}"
    if request.method == "POST" and form.is_valid():
        try:
            budget = form.cleaned_data["budget"]
            amendments.raise_budget(campaign.pk, budget, actor_id=request.user.pk)
        except (Invalid, Conflict) as refused:
            _tell(form, refused)
        else:
            messages.success(request, f"The budget is {money_text(budget)} now.")
            return redirect("estimation:dashboard", public_id)
    short = pay_budget.short_of_a_place(campaign)
    context = {
        "campaign": campaign,
        "form": form,
        "committed": pay_budget.committed(campaign),
        "short": short,
        "least": campaign.budget + short,
        "section": "campaigns",
    }
    status = 422 if form.is_bound else 200
    return render(request, "campaigns/budget.html", context, status=status)


@require_safe
@never_cache
@researcher_page
def later(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The part of the page that was left out."""
    campaign = visible(request.user, public_id)
    owner = is_owner(request.user, campaign)
    return render(
        request, "campaigns/_budget.html", {"campaign": campaign, "owner": owner, **_held(campaign)}
    )


def _held(campaign: Any) -> dict[str, Any]:
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    committed = pay_budget.committed(campaign)
    return {"committed": committed, "excess": max(Decimal(0), committed - campaign.budget)}


# The settings of a campaign's screens: its members read them, and who runs it changes them.


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def screens(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the settings; POST changes them."""
    campaign = visible(request.user, public_id)
    in_use = exports.screens_in_use(campaign)
    if request.method != "POST":
        return _page(
            request,
            campaign,
            ScreensForm(in_use=in_use, may_change=_may_change(request, campaign)),
        )
    run(request.user, public_id)
    form = ScreensForm(request.POST, in_use=in_use)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    try:
        changed = amendments.change(
            campaign.pk, form.settings, actor_id=request.user.pk, reason=form.cleaned_data["reason"]
        )
    except (Invalid, Conflict) as refused:
        _tell(form, refused)
        return _page(request, campaign, form, status=refused.status)
    said = f"{many(len(changed), 'setting')} changed." if changed else "Nothing was changed."
    messages.success(request, said)
    return redirect("annotate:screens", public_id)


def _tell(form: forms.Form, refused: Invalid | Conflict) -> None:
    """Put each problem beside its field; what has none is told above the form."""
    for name, message in getattr(refused, "errors", {"": refused.message}).items():
        field = name.split("[")[0]
        form.add_error(field if field in form.fields else None, message)


def _may_change(request: HttpRequest, campaign: Any) -> bool:
    return is_running(request.user, campaign) and campaign.closed_at is None


def _page(
    request: HttpRequest, campaign: Any, form: ScreensForm, *, status: int = 200
) -> HttpResponseBase:
    context = {
        "campaign": campaign,
        "form": form,
        "may_change": _may_change(request, campaign),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "amendments": [(one, _setting_lines(one)) for one in exports.screens_amended(campaign.pk)],
        "section": "campaigns",
    }
    return render(request, "campaigns/screens.html", context, status=status)


def _setting_lines(one: Amendment) -> list[str]:
    known = by_path()
    labels = {path: known[path].label if path in known else path for path in one.changes}
    return [
        f"{labels[path]} ({path}): {_setting(was)} → {_setting(now)}"
        for path, (was, now) in one.changes.items()
    ]


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return (
            ", ".join(SCREENS[name].reviewers.title if name in SCREENS else name for name in value)
            or "none"
        )
    return f"{value:g}"


# The page of texts for annotators: members read it; owners and collaborators change it.


LABELS = {
    "public_title": "Title",
    "public_about": "Sentence",
    "contact": "E-mail",
    "instructions": "Instructions",
    "consent": "Consent text",
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def texts(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the texts; POST changes them."""
    campaign = visible(request.user, public_id)
    now = studies_queries.amended_texts_of(campaign)
    if request.method != "POST":
        return _texts_page(request, campaign, now, _form(campaign, now))
    run(request.user, public_id)
    form = _form(campaign, now, request.POST)
    if not form.is_valid():
        return _texts_page(request, campaign, now, form, status=422)
    try:
        changed = amendments.change_texts(
            campaign.pk,
            form.texts,
            actor_id=request.user.pk,
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["revision"] or "none",
        )
    except (Invalid, Conflict) as refused:
        _tell(form, refused)
        form.again(now)
        return _texts_page(request, campaign, now, form, status=refused.status)
    if not changed:
        said = "Nothing was changed."
    elif "consent" in changed and campaign.status != CampaignStatus.DRAFT:
        said = "Changed. Everybody is asked to accept the new consent text before their next task."
    else:
        said = "Annotators read the new words from now on."
    messages.success(request, said)
    return redirect("annotate:texts", public_id)


def _form(campaign: Any, now: ReadTexts, posted: Any = None) -> TextsForm:
    form = TextsForm(posted, now=now, closed=campaign.closed_at is not None)
    asked = studies_queries.instrument_of(campaign), campaign.language
    form.suggest(exports.title("", *asked), exports.about("", *asked))
    return form


def _texts_page(
    request: HttpRequest, campaign: Any, now: ReadTexts, form: TextsForm, *, status: int = 200
) -> HttpResponseBase:
    context = {
        "campaign": campaign,
        "form": form,
        "now": now,
        "may_change": is_running(request.user, campaign),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "crowd": adapters.crowd_label(campaign.crowd),
        "amendments": [
            (one, [(LABELS.get(name, name), *texts) for name, texts in one.changes.items()])
            for one in studies_queries.amended(campaign.pk)
        ],
        "consents": studies_queries.consents(campaign),
        "section": "campaigns",
    }
    return render(request, "campaigns/texts.html", context, status=status)


# Inviting people, who has worked, and who else may see the campaign.


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def people(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the links and who came by them. POST makes personal links; nothing is stored for
    them."""
    reading = request.method != "POST"
    campaign = made_here((visible if reading else reviewable)(request.user, public_id))
    if not reading:
        members.ask_unnamed(campaign)
    names = NamesForm(request.POST or None)
    made = names.cleaned_data["names"] if names.is_valid() else []
    status = 422 if names.is_bound and not made else 200
    return _people_page(request, campaign, names=names, made=made, status=status)


def _experts(campaign: Campaign, release: ReleaseForm | None) -> list[dict[str, Any]]:
    """Return the experts with a form to release each; release: the one that was not taken."""
    found = members.experts(campaign)
    for number, one in enumerate(found):
        one["is_asked"] = release is not None and release.data.get("name") == one["name"]
        one["form"] = release if one["is_asked"] else ReleaseForm(initial={"name": one["name"]})
        one["form"].auto_id = f"id_{number}_%s"
    return found


PEOPLE_ORDERS = {
    "judgments": "Most judgments",
    "last": "Judged last",
    "new": "Newest",
    "due": "Most due",
    "earned": "Most earned",
    "refused": "Most refused",
    "paid": "Most paid",
}
PEOPLE_PARTS = {
    "all": "Everybody",
    "due": "Pay is due",
    "refused": "Pay is refused",
    "idle": "No judgment",
}
PEOPLE_ROWS, COMMENTS = 50, 20  # on a page


def _people_page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    names: NamesForm | None = None,
    release: ReleaseForm | None = None,
    made: Sequence[str] = (),
    status: int = 200,
) -> HttpResponseBase:
    mine = access(request.user, campaign.public_id)
    flagged = {pay_queries.FLAGGED: "Most flags"} if mine.reviews else {}
    asked = common_lists.asked(
        request.GET,
        sorts=PEOPLE_ORDERS | flagged,
        choices=PEOPLE_PARTS,
        size=PEOPLE_ROWS,
        anchor="worked-h",
    )
    found = pay_queries.people_of_campaign(campaign.pk, asked, by_name=False)
    shown = [person.annotator_id for person in found.rows]
    records = work_queries.people_records_of(campaign.pk, shown) if mine.reviews else {}
    comments = common_lists.asked(
        {"comments": request.GET.get("comments", "")},
        sorts={},
        size=COMMENTS,
        anchor="feedback-h",
        param="comments",
    )
    if campaign.crowd == "link":
        preview = reverse("annotate:preview", args=[members.token(campaign)])
    else:
        preview = reverse("annotate:batch-preview", args=[preview_token(campaign.pk, 1)])
    context = {
        "campaign": campaign,
        "owner": mine.is_owner,
        "runs": mine.runs,
        "reviews": mine.reviews,
        "lines": [(person, records.get(person.annotator_id)) for person in found.rows],
        "tells_records": any(one.told for one in records.values()),
        "crowd": adapters.crowd_label(campaign.crowd),
        "link": members.links_of(campaign),
        "names": names or NamesForm(),
        "experts": _experts(campaign, release) if mine.runs else [],
        "about": exports.about(
            campaign.public_about, studies_queries.instrument_of(campaign), campaign.language
        ),
        "personal": [(name, members.links_of(campaign, name)) for name in made],
        "preview": preview,
        "feedback": work_queries.feedback(campaign.pk, comments),
        "people": found,
        "listing": found.listing,
        **budget_context(campaign, n=found.n),
        "members": members.members(campaign.pk),
        "signals_on": signals_on(campaign.screening),
        "section": "campaigns",
    }
    return render(request, "campaigns/people.html", context, status=status)


@require_POST
@researcher_page
def release_expert(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Release an expert, or name another one in place of them."""
    campaign = run(request.user, public_id)
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        return _people_page(request, campaign, release=form, status=422)
    name, replacement = form.cleaned_data["name"], form.cleaned_data["replacement"]
    try:
        experts.release(
            campaign.pk,
            name,
            actor_id=_user(request),
            reason=form.cleaned_data["why"],
            replacement=replacement,
        )
    except Invalid as refused:
        for field, message in refused.errors.items():
            form.add_error("why" if field == "reason" else field, message)
        return _people_page(request, campaign, release=form, status=422)
    then = f"Send {replacement} their link." if replacement else "The others go on."
    messages.success(request, f"{name} is released. {then}")
    return redirect("annotate:people", public_id)


@require_POST
@researcher_page
def withdraw_links(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Make a new link for annotators, so that the common and all personal ones no longer work."""
    campaign = run(request.user, public_id)
    amendments.withdraw_links(campaign.pk, actor_id=_user(request))
    messages.success(
        request, "There is a new link. The earlier ones let nobody in any more; work goes on."
    )
    return redirect("annotate:people", public_id)


@require_safe
@never_cache
@researcher_page
def export(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """All scores, by pseudonym; `counts` is 0 for those that do not enter the estimates."""
    campaign = with_results(request.user, public_id)
    columns = ("item", "systems", "pseudonym", "submitted_at", "criterion", "score", "counts")
    rows = (
        (
            one["item"],
            " + ".join(system.name for system in one["systems"]),
            one["annotator"],
            one["submitted_at"].isoformat(),
            one["criterion"],
            one["score"],
            int(one["counts"]),
        )
        for one in exports.scores(exports.moment(campaign.pk))
    )
    return csv_file(f"{public_id}-judgments.csv", columns, rows)


# The members of a campaign and the invitations to it, as its members see them.


MAILS_AN_HOUR = 50  # of one person; one address gets a tenth of that


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def members_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show members and invitations. POST makes an invitation; its link stays on the page."""
    mine = access(request.user, public_id)
    if request.method != "POST":
        return _members_page(request, mine, InviteForm())
    owned(request.user, public_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _members_page(request, mine, form, status=422)
    email = form.cleaned_data["email"]
    by_mail = bool(email) and members.sends_mail()
    if by_mail:
        limits.check(
            limits.Limit(limits.key("invite", str(mine.user_id)), MAILS_AN_HOUR, 3600),
            limits.Limit(limits.key("invited", email.casefold()), MAILS_AN_HOUR // 10, 3600),
        )
    try:
        members.invite(
            mine.campaign.pk, **form.cleaned_data, actor_id=mine.user_id, by_mail=by_mail
        )
    except Invalid as refused:
        _tell(form, refused)
        return _members_page(request, mine, form, status=422)
    messages.success(request, "The invitation is made. Its link stands in the list below.")
    return redirect("annotate:members", public_id)


@require_POST
@researcher_page
def change_role(request: HttpRequest, public_id: str, member_id: int) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    role = request.POST.get("role", "")

    def act() -> str:
        changed = members.change_role(campaign.pk, member_id, role, actor_id=_user(request))
        return "The role is changed." if changed else "Nothing was changed."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def remove(request: HttpRequest, public_id: str, member_id: int) -> HttpResponseBase:
    campaign = owned(request.user, public_id)

    def act() -> str:
        name = members.remove(campaign.pk, member_id, actor_id=_user(request))
        return f"{name} no longer sees this campaign."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def leave(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Give up one's own role."""
    campaign = visible(request.user, public_id)

    def act() -> str:
        members.leave(campaign.pk, _user(request))
        return f"You have left “{campaign.name}”."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def revoke(request: HttpRequest, public_id: str, invitation_id: str) -> HttpResponseBase:
    campaign = owned(request.user, public_id)

    def act() -> str:
        done = members.revoke(campaign.pk, invitation_id, actor_id=_user(request))
        return "The invitation is withdrawn." if done else "It was withdrawn before."

    return _done(request, public_id, act)


def _done(request: HttpRequest, public_id: str, act: Any) -> HttpResponseBase:
    """Do it and say so, or say why not; then lead to where the person may still be."""
    try:
        messages.success(request, act())
    except ServiceError as refused:
        messages.error(request, refused.message)
    try:
        visible(request.user, public_id)
    except NotFound:
        return redirect("annotate:campaigns")
    return redirect("annotate:members", public_id)


def _members_page(
    request: HttpRequest, mine: Access, form: InviteForm, *, status: int = 200
) -> HttpResponseBase:
    good, ended = members.invitations(mine.campaign.pk) if mine.is_owner else ([], [])
    context = {
        "campaign": mine.campaign,
        "owner": mine.is_owner,
        "me": mine.user_id,
        "members": members.members(mine.campaign.pk),
        "good": [(one, invitation_link(one.public_id)) for one in good],
        "ended": [(one, members.ended(one)) for one in ended],
        "roles": [(role.value, text) for role, text in ROLES.items()],
        "given": [role.value for role in ROLES if role != MemberRole.OWNER],
        "form": form,
        "sends_mail": members.sends_mail(),
        "section": "campaigns",
    }
    return render(request, "campaigns/members.html", context, status=status)


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk


# The page behind the link of an invitation: what is offered, and how to accept it.


TRIES, SECONDS = 60, 900  # of one address


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invited_page(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what is offered. POST accepts it, with the account that is signed in or a new one."""
    try:
        address = limits.key("invitation", client_address(request))
        limits.check(limits.Limit(address, TRIES, SECONDS))
        offer = members.find_invitation(token)
        if request.method != "POST":
            return _invited_page(request, offer, NewAccountForm())
        if not request.user.is_authenticated:
            return _register(request, token, offer)
        if members.accept(token, _user(request)):
            messages.success(request, f"You are now {offer.role} of “{offer.campaign.name}”.")
        else:
            messages.info(
                request, "You are a member of this campaign already. Nothing was changed."
            )
        return redirect("estimation:dashboard", offer.campaign.public_id)
    except ServiceError as refused:
        context = {"message": refused.message}
        return render(request, "accounts/invitation_ended.html", context, status=refused.status)


def _register(request: HttpRequest, token: str, offer: Invitation) -> HttpResponseBase:
    form = NewAccountForm(request.POST)
    if not form.is_valid():
        return _invited_page(request, offer, form, status=422)
    given = form.cleaned_data
    try:
        user = members.accept_as_new(token, username=given["username"], password=given["password"])
    except Invalid as refused:
        _tell(form, refused)
        return _invited_page(request, offer, form, status=422)
    login(request, user, backend="config.login.LimitedBackend")
    messages.success(request, f"Welcome. You are now {offer.role} of “{offer.campaign.name}”.")
    return redirect("estimation:dashboard", offer.campaign.public_id)


def _invited_page(
    request: HttpRequest, offer: Invitation, form: NewAccountForm, *, status: int = 200
) -> HttpResponseBase:
    means = ROLES[MemberRole(offer.role)]
    context = {"offer": offer, "means": means, "form": form, "here": request.path}
    return render(request, "accounts/invitation.html", context, status=status)
