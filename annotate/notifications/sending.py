"""Sends notifications: mails, and webhooks signed as the Standard Webhooks specification says.

The signature is HMAC-SHA256 of "id.timestamp.body" with the subscription's secret
(https://github.com/standard-webhooks/standard-webhooks).
"""

import base64
import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotate.accounts.accounts import as_chosen
from annotate.common import audit, numbers
from annotate.common import mail as common_mail
from annotate.common.audit import TEST, CampaignEvent
from annotate.common.errors import Invalid
from annotate.common.mail import letter, said
from annotate.models import AuditEntry, Campaign, Membership, Notification, Subscription
from annotate.models.accounts import LONGEST_URL

PREFIX = "whsec_"


def secret(public_id: str) -> str:
    """Return the secret of a subscription; it is made from our key and stored nowhere."""
    key = salted_hmac("webhook-subscription", public_id, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def signature(secret: str, name: str, time: str, content: bytes) -> str:
    """Return the signature of a call: its id, its time in seconds since 1970, and its body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    mac = hmac.new(key, f"{name}.{time}.".encode() + content, hashlib.sha256)
    return f"v1,{base64.b64encode(mac.digest()).decode()}"


def body(notification: Notification) -> bytes:
    """Return what is sent about an event. It names no annotator."""
    campaign, entry = notification.subscription.campaign, notification.entry
    said = {
        "type": event(notification).key,
        "timestamp": _at(notification).isoformat(),
        "data": {
            "campaign": campaign.public_id,
            "name": campaign.name,
            "url": address(campaign),
            **(_about(entry) if entry else {"text": payloads_words(notification)}),
        },
    }
    return json.dumps(said, ensure_ascii=False).encode()


def headers(notification: Notification, content: bytes, *, at: datetime) -> dict[str, str]:
    """Return the headers of a call at this moment: content type, id, time and signature."""
    name, time = f"msg_{notification.public_id}", str(int(at.timestamp()))
    own = secret(notification.subscription.public_id)
    return {
        "Content-Type": "application/json",
        "User-Agent": "plumbline-webhooks",
        "webhook-id": name,
        "webhook-timestamp": time,
        "webhook-signature": signature(own, name, time, content),
    }


def address(campaign: Campaign) -> str:
    """Return the address of a campaign's page."""
    return f"{settings.PUBLIC_URL}{reverse('estimation:dashboard', args=[campaign.public_id])}"


def settings_address(campaign: Campaign) -> str:
    """Return the address of the page where subscriptions are made and ended."""
    return f"{settings.PUBLIC_URL}{reverse('annotate:notifications', args=[campaign.public_id])}"


def event(notification: Notification) -> CampaignEvent:
    return (notification.entry and audit.events_of(notification.entry.verb)) or TEST


def payloads_words(notification: Notification) -> str:
    """Return the event as a sentence."""
    verb = notification.entry.verb if notification.entry else ""
    text = event(notification).acts[verb]
    return text.format(system=_system(notification.entry) or "") if notification.entry else text


def _about(entry: AuditEntry) -> dict[str, Any]:
    system = _system(entry)
    return {
        "act": entry.verb,
        "by": "a person" if entry.actor_id else "Plumbline",
        **({"system": system} if system else {}),
        "detail": entry.detail,
    }


def _system(entry: AuditEntry) -> str | None:
    kind, _, name = entry.subject.partition(":")
    return name if kind == "system" else None


# The mail about what happened in a campaign in the last minute, or since the last mail.


MOST_LINES, MOST_SUBJECT = 20, 150


def letter_of(notifications: list[Notification]) -> EmailMessage:
    """Return one letter about these events of one subscription, as its reader writes times."""
    one = notifications[0].subscription
    name = " ".join(one.campaign.name.split())
    with as_chosen(getattr(one.user, "profile", None)):
        lines = [
            f"- {numbers.moment(_at(notification), 'zone')}: {payloads_words(notification)}"
            for notification in notifications[:MOST_LINES]
        ]
    if (more := len(notifications) - MOST_LINES) > 0:
        lines.append(f"- and {more} more")
    told = "\n".join(lines)
    first = (
        payloads_words(notifications[0])
        if len(notifications) == 1
        else f"{len(notifications)} events"
    )
    return letter(
        one.user.email,
        " ".join(f"{name}: {first}".split())[:MOST_SUBJECT],
        f"In the campaign “{name}”:\n\n{told}\n\n{address(one.campaign)}\n\n"
        f"You asked for this mail. End it here: {settings_address(one.campaign)}\n",
    )


def _at(notification: Notification) -> datetime:
    return notification.entry.at if notification.entry else notification.created_at


# Allowed webhook addresses: public and https, others only if a setting allows it.
#
# Whoever may make a webhook must not reach through it what the server can reach: its database,
# other services of its network, or the metadata of its cloud.


PORTS = {"https": 443, "http": 80}
# Python calls more global than what is assigned to the public.
GLOBAL = ipaddress.IPv6Network("2000::/3")
ASSIGNED = ipaddress.IPv4Network("192.0.0.0/24")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # the last 32 bits are an address of IPv4
HOST = re.compile(r"[A-Za-z0-9._:-]+")
SECRETS = "The address has no user name and no password: the signature shows who sends."
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Forbidden(Exception):
    """The destination is not allowed; the message says why."""


@dataclass(frozen=True)
class Destination:
    """A destination in parts. target: path and query, as a request line has them."""

    is_secure: bool
    host: str
    port: int
    target: str

    @property
    def named(self) -> str:
        """Return the value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def scheme(self) -> str:
        return "https" if self.is_secure else "http"


def parsed(url: str) -> Destination:
    """Return the parts of an address. Raises `Invalid` for one that no webhook can have."""
    try:
        found = urlsplit(url)
        host, port = found.hostname or "", found.port
        ascii_host = host if ":" in host else host.encode("idna").decode("ascii")
    except ValueError:  # UnicodeError is one
        raise _wrong("This is no address of the web.") from None
    if found.scheme not in PORTS or (found.scheme == "http" and not settings.PRIVATE_WEBHOOKS):
        raise _wrong("The address begins with https://.")
    # The host alone may hold letters of any script.
    is_plain = all("!" <= one <= "~" for one in "".join(found[2:]))
    if not HOST.fullmatch(ascii_host) or port == 0 or not is_plain or len(url) > LONGEST_URL:
        raise _wrong("This is no address of the web.")
    if found.username is not None or found.password is not None:
        raise _wrong(SECRETS)
    target = (found.path or "/") + (f"?{found.query}" if found.query else "")
    is_secure = found.scheme == "https"
    return Destination(is_secure, ascii_host, port or PORTS[found.scheme], target)


def _wrong(message: str) -> Invalid:
    return Invalid({"url": message})


def addresses(at: Destination) -> list[str]:
    """Return the numeric addresses of a destination. Raises `Forbidden`, or `OSError` without any.

    Every address must be public: a name with one private address leads there sooner or later.
    """
    try:
        found = socket.getaddrinfo(at.host, at.port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise Forbidden("This is no address of the web.") from None
    numeric = [str(one[4][0]) for one in found]
    plain = (ipaddress.ip_address(one.partition("%")[0]) for one in numeric)
    if not settings.PRIVATE_WEBHOOKS and not all(map(_is_open, plain)):
        raise Forbidden("The address leads into a private network.")
    return numeric


def _is_open(address: Address) -> bool:
    """Return whether an address is public; so must be one of IPv4 that it leads on to."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and address not in ASSIGNED
    if address.ipv4_mapped is not None:
        return _is_open(address.ipv4_mapped)
    if address in NAT64:
        return _is_open(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address.sixtofour is not None:
        return _is_open(address.sixtofour)
    return address in GLOBAL and address.is_global


# One call of a webhook: a POST with a time limit that follows no redirect and reads no body.


SECONDS = 10.0  # for everything after the name is resolved
GONE = 410


class Failed(Exception):
    """The call had no success; the message says why, without anything of the far side."""


def post(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS) -> int:
    """Send `body`; return the status if the far side has taken it (2xx) or is gone (410).

    Raises `Failed` for everything else.
    """
    try:
        status = _status(parsed(url), body, headers, seconds)
    except Forbidden as error:
        raise Failed(str(error)) from None
    except Invalid as error:  # since it was made, a setting has changed
        raise Failed(error.errors["url"]) from None
    except ssl.SSLCertVerificationError:
        raise Failed("The receiver’s certificate is not valid.") from None
    except TimeoutError:
        raise Failed("The receiver did not answer in time.") from None
    except (OSError, ValueError, http.client.HTTPException):
        raise Failed("The receiver could not be reached, or ended the call.") from None
    if 300 <= status < 400:
        raise Failed(f"The receiver answered {status}, a redirect. Redirects are not followed.")
    if status != GONE and not 200 <= status < 300:
        raise Failed(f"The receiver answered {status}.")
    return status


def _status(at: Destination, body: bytes, headers: Mapping[str, str], seconds: float) -> int:
    with _connected(at, seconds) as sock:
        call = http.client.HTTPConnection(at.host, at.port)
        call.sock = sock
        call.request("POST", at.target, body, {"Host": at.named, **headers})
        return call.getresponse().status


@contextlib.contextmanager
def _connected(at: Destination, seconds: float) -> Iterator[socket.socket]:
    """Connect to one of the checked addresses; the socket is shut when the time is over.

    A time-out of a socket counts from byte to byte, so a slow far side could hold it for hours.
    """
    sock = _opened(addresses(at), at.port, seconds)
    if at.is_secure:
        context = ssl.create_default_context()
        sock = context.wrap_socket(sock, server_hostname=at.host, do_handshake_on_connect=False)
    over = threading.Event()
    timer = threading.Timer(seconds, _shut, [sock, over])
    timer.start()
    try:
        if isinstance(sock, ssl.SSLSocket):
            sock.do_handshake()
        yield sock
        if over.is_set():  # a half answer looks whole once the socket is shut
            raise TimeoutError
    except (OSError, http.client.HTTPException):
        if over.is_set():
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
        sock.close()


def _opened(addresses: list[str], port: int, seconds: float) -> socket.socket:
    *others, last = addresses[:2]
    for address in others:
        with contextlib.suppress(OSError):
            return socket.create_connection((address, port), timeout=seconds / 2)
    return socket.create_connection((last, port), timeout=seconds)


def _shut(sock: socket.socket, over: threading.Event) -> None:
    over.set()
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # not TLS's own, which another thread uses


# Sends notifications: each subscription is an ordered queue, which waits after a failure.


AT_ONCE = 100  # notifications of a subscription in one turn
TURN = 40.0  # seconds after which a turn begins no further call: the claim lasts a minute
GATHER = timedelta(minutes=1)  # what happens in this time is one mail
GIVEN_UP = timedelta(days=3)  # a notification that nobody has taken
KEPT = timedelta(days=30)

logger = logging.getLogger(__name__)


def send_due() -> int:
    """Send what is due in all campaigns, and forget what is old; return how many were sent."""
    now = timezone.now()
    Notification.objects.filter(created_at__lt=now - KEPT).delete()
    _waiting().filter(created_at__lt=now - GIVEN_UP).update(given_up_at=now)
    until, n = time.monotonic() + TURN, 0
    for pk in list(_due(now).values_list("pk", flat=True)):
        if time.monotonic() < until:
            n += send(pk)
    return n


def send(subscription_id: int) -> int:
    """Send what waits for one subscription, if it is due; return how many were sent.

    Call it outside transactions. What fails is tried again after 1, 2, 4 … 60 minutes, for three
    days, before anything later: the receiver sees events in their order.
    """
    now = timezone.now()
    one = _due(now).filter(pk=subscription_id).select_related("user", "campaign").first()
    if one is None or not _claim(one, now):
        return 0
    mine = Membership.objects.filter(campaign=one.campaign_id, user=one.user_id)
    if not one.user.is_active or not mine.filter(role__in=Membership.RUN).exists():
        _end(one)  # this person no longer runs the campaign
        return 0
    waiting = list(_waiting().filter(subscription=one).select_related("entry")[:AT_ONCE])
    for notification in waiting:
        notification.subscription = one
    if not waiting:
        return 0  # another worker has sent it between
    try:
        return _mailed(waiting) if one.channel == Subscription.Channel.MAIL else _called(waiting)
    except Failed as error:
        _failed(one, str(error))
    except (OSError, SMTPException, ValueError) as error:
        _failed(one, said(error))
    return 0


def _called(waiting: list[Notification]) -> int:
    until, n = time.monotonic() + TURN, 0
    for notification in waiting:
        if time.monotonic() > until:
            break
        content, now = body(notification), timezone.now()
        url = notification.subscription.url
        status = post(url, content, headers(notification, content, at=now))
        if status == GONE:
            _end(notification.subscription, "The receiver answered 410: it wishes no more of this.")
            return n
        _sent([notification])
        n += 1
    return n


def _mailed(waiting: list[Notification]) -> int:
    one = waiting[0].subscription
    if not one.user.email:
        raise Failed("Your account has no e-mail address.")
    letter_of(waiting).send()
    _sent(waiting)
    return len(waiting)


def _sent(notifications: list[Notification]) -> None:
    now = timezone.now()
    Notification.objects.filter(pk__in=[one.pk for one in notifications]).update(sent_at=now)
    mine = Subscription.objects.filter(pk=notifications[0].subscription_id)
    mine.update(attempts=0, next_at=now, problem="", last_sent_at=now)


def _failed(one: Subscription, problem: str) -> None:
    logger.warning("notifications of %s wait: %s", one.public_id, problem)
    Subscription.objects.filter(pk=one.pk).update(problem=problem)


def _end(one: Subscription, problem: str = "") -> None:
    rows = Subscription.objects.filter(pk=one.pk, ended_at=None)
    rows.update(ended_at=timezone.now(), problem=problem)


def _waiting() -> QuerySet[Notification]:
    return Notification.objects.filter(sent_at=None, given_up_at=None).order_by("id")


def _due(now: datetime) -> QuerySet[Subscription]:
    """Select the subscriptions with something to send; mails gather what happens in a minute."""
    mine = _waiting().filter(subscription=OuterRef("pk"))
    mail = Q(channel=Subscription.Channel.MAIL)
    ready = (~mail & Exists(mine)) | (mail & Exists(mine.filter(created_at__lte=now - GATHER)))
    return Subscription.objects.filter(ready, ended_at=None, next_at__lte=now).order_by("next_at")


def _claim(one: Subscription, now: datetime) -> bool:
    """Move the next attempt into the future, for this worker alone."""
    mine = Subscription.objects.filter(pk=one.pk, attempts=one.attempts, next_at=one.next_at)
    again = common_mail.next_at(one.attempts, now)
    return bool(mine.update(attempts=one.attempts + 1, next_at=again))
