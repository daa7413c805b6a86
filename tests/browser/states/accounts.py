"""Accounts, members and invitations: what owners, invited people and forgetful ones see."""

from base64 import b32decode

from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotate.accounts import second_factor
from annotate.accounts import tokens as accounts_tokens
from annotate.campaigns import members
from annotate.common import mail, tokens
from annotate.models import Campaign, Invitation, Mail, Membership
from annotate.models.base import MemberRole as Role
from tests import reviewed
from tests.annotate.accounts.second_factors import PASSWORD, code_of, secured
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in, study
from tests.factories import user


def shared(owner: User) -> Campaign:
    """A campaign with a member of each role and invitations of each kind."""
    made = study(owner)
    for name, role in (("bea.langsam", Role.COLLABORATOR), ("cyn", Role.REVIEWER)):
        members.join(made.pk, user(name).pk, role, by=owner.pk)
    members.invite(made.pk, role=Role.VIEWER, most_uses=20, days=30, actor_id=owner.pk)
    mailed = {"role": Role.OWNER, "actor_id": owner.pk, "by_mail": True}
    members.invite(made.pk, email="dan@example.org", **mailed)
    failed = members.invite(made.pk, email="a.long.name@institute.example.org", **mailed)
    Mail.objects.filter(invitation=failed).update(
        problem="The mail server did not answer.", attempts=2
    )
    ended = members.invite(made.pk, role=Role.REVIEWER, actor_id=owner.pk)
    Invitation.objects.filter(pk=ended.pk).update(expires_at=timezone.now())
    return made


def link(made: Campaign, role: str) -> str:
    owner = Membership.objects.filter(campaign=made, role=Role.OWNER).values_list("user", flat=True)
    one = members.invite(made.pk, role=role, email="zoe@example.org", actor_id=owner[0])
    return reverse("annotate:invitation", args=[tokens.of_invitation(one.public_id)])


@state("accounts/members")
def _members(visitor: Visitor) -> None:
    visitor.staying.enter_context(override_settings(SENDS_MAIL=True))
    made = shared(logged_in(visitor))
    page = visitor.goto(reverse("annotate:members", args=[made.public_id]))
    page.get_by_text("What the roles mean").click()
    expect(page.get_by_text("The mail server did not answer.")).to_be_visible()


@state("accounts/members-viewer")
def _members_viewer(visitor: Visitor) -> None:
    viewer = logged_in(visitor)
    made = study(user("eve"))
    members.join(made.pk, viewer.pk, Role.VIEWER, by=viewer.pk)
    visitor.goto(reverse("annotate:members", args=[made.public_id]))


@state("accounts/people-viewer")
def _people_viewer(visitor: Visitor) -> None:
    viewer = logged_in(visitor)
    made = study(user("eve"))
    members.join(made.pk, viewer.pk, Role.VIEWER, by=viewer.pk)
    visitor.goto(reverse("annotate:people", args=[made.public_id]))


@state("accounts/invitation")
def _invitation(visitor: Visitor) -> None:
    page = visitor.goto(link(study(user("eve")), Role.COLLABORATOR))
    page.get_by_label("User name").fill("eve.")
    page.get_by_label("Password", exact=True).fill("rain on tin roofs")
    page.get_by_label("The same password again").fill("rain on tin roofs")
    page.get_by_role("button", name="Create the account and accept").click()
    expect(page.get_by_text("looks like another one")).to_be_visible()


@state("accounts/invitation-signed-in")
def _invitation_signed_in(visitor: Visitor) -> None:
    logged_in(visitor)
    visitor.goto(link(study(user("eve")), Role.REVIEWER))


@state("accounts/invitation-ended")
def _invitation_ended(visitor: Visitor) -> None:
    path = link(study(user("eve")), Role.REVIEWER)
    Invitation.objects.update(uses=1)
    visitor.goto(path)


@state("accounts/account")
def _account(visitor: Visitor) -> None:
    me = logged_in(visitor)
    accounts_tokens.make_token(me.pk, "Nightly export of the autumn study")
    page = visitor.goto(reverse("annotate:account"))
    page.get_by_label("What it is for").fill("Dashboard on the wall")
    page.locator("#id_token_password").fill(PASSWORD)
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("it is not shown again")).to_be_visible()


@state("accounts/password")
def _password(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto(reverse("annotate:password"))
    page.get_by_label("Old password").fill("wrong")
    page.get_by_label("New password", exact=True).fill("1")
    page.get_by_label("New password confirmation").fill("2")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("This is not your present password")).to_be_visible()


@state("accounts/forgotten")
def _forgotten(visitor: Visitor) -> None:
    visitor.staying.enter_context(override_settings(SENDS_MAIL=True))
    page = visitor.goto(reverse("annotate:password-forgotten"))
    page.get_by_label("E-mail address of your account").fill("ada@example.org")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("status")).to_be_visible()


@state("accounts/forgotten-without-mail")
def _forgotten_without_mail(visitor: Visitor) -> None:
    visitor.goto(reverse("annotate:password-forgotten"))


@state("accounts/new-password")
def _new_password(visitor: Visitor) -> None:
    path = mail.reset_link(user()).partition("/new-password/")[2]
    visitor.goto(f"/new-password/{path}")


@state("accounts/second-factor")
def _second_factor(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto(reverse("annotate:account"))
    page.get_by_role("link", name="Turn on a second factor").click()
    page.get_by_label("The code that your app shows now").fill("12345")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("has six digits")).to_be_visible()


@state("accounts/recovery-codes")
def _recovery_codes(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto(reverse("annotate:second-factor"))
    key = page.locator(".typed-key").inner_text().replace(" ", "")
    code = code_of(b32decode(key).hex())
    page.get_by_label("The code that your app shows now").fill(code)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("they are not shown again")).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()


def asked_for_a_code(visitor: Visitor) -> Page:
    """Give the right password of an account with a second factor."""
    secured()
    page = visitor.goto("/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Your code")).to_be_visible()
    return page


@state("accounts/login-code")
def _login_code(visitor: Visitor) -> None:
    page = asked_for_a_code(visitor)
    expect(page.get_by_label("Code")).to_be_focused()
    page.get_by_label("Code").fill("12345")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("has six digits")).to_be_visible()


@state("accounts/login-code-locked")
def _login_code_locked(visitor: Visitor) -> None:
    page = asked_for_a_code(visitor)
    visitor.staying.enter_context(override_settings(LOGIN_TRIES=0))
    page.get_by_label("Code").fill(code_of())
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("Too many attempts. Wait 15 minutes")


@state("accounts/login-code-turned-off")
def _login_code_turned_off(visitor: Visitor) -> None:
    page = asked_for_a_code(visitor)
    assert second_factor.turn_off_for("ada")
    page.get_by_label("Code").fill(code_of())
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("status")).to_contain_text("Your second factor was turned off")


def with_second_factor(visitor: Visitor) -> Page:
    page = asked_for_a_code(visitor)
    page.get_by_label("Code").fill(code_of())
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    return visitor.goto(reverse("annotate:account"))


@state("accounts/account-second-factor")
def _account_second_factor(visitor: Visitor) -> None:
    page = with_second_factor(visitor)
    expect(page.get_by_text("10 recovery codes left")).to_be_visible()


@state("accounts/second-factor-off")
def _second_factor_off(visitor: Visitor) -> None:
    page = with_second_factor(visitor)
    page.get_by_role("link", name="Turn off").click()
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_text("Type a code, or your password.")).to_be_visible()


@state("accounts/recovery-codes-new")
def _recovery_codes_new(visitor: Visitor) -> None:
    page = with_second_factor(visitor)
    page.get_by_role("link", name="New recovery codes").click()
    page.get_by_label("Or your password").fill("wrong")
    page.get_by_role("button", name="Make new codes").click()
    expect(page.get_by_text("This is not your password.")).to_be_visible()


@state("accounts/form-after-another-log-in")
def _another_log_in(visitor: Visitor) -> None:
    """A form that was loaded before a log-in in another tab."""
    page = typed_reason(visitor)
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Log out").click()
    other.get_by_label("User name").fill("ada")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("button", name="Log out")).to_be_visible()
    other.close()
    page.get_by_role("button", name="Exclude").click()
    expect(page.get_by_role("heading", name="You logged in again")).to_be_visible()
    page.get_by_text("What you typed", exact=True).click()


@state("accounts/form-after-the-session")
def _after_the_session(visitor: Visitor) -> None:
    page = typed_reason(visitor)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Exclude").click()
    expect(page.get_by_role("heading", name="Your session has ended")).to_be_visible()


def typed_reason(visitor: Visitor) -> Page:
    review = reviewed.case(logged_in(visitor))
    names = [review.campaign.public_id, review.annotator.pseudonym]
    page = visitor.goto(reverse("annotate:review", args=names))
    page.get_by_role("radio", name="Exclude the work").check()
    page.get_by_label("Answer to the annotator").fill("Twelve of your edits\nchange nothing.")
    return page
