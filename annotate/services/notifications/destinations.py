"""Allowed webhook addresses: public and https, others only if a setting allows it.

Whoever may make a webhook must not reach through it what the server can reach: its database, other
services of its network, or the metadata of its cloud.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotate.errors import Invalid
from annotate.models.notifications import LONGEST_URL

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
    if not HOST.fullmatch(ascii_host) or port == 0 or _is_odd(url):
        raise _wrong("This is no address of the web.")
    if found.username is not None or found.password is not None:
        raise _wrong(SECRETS)
    target = (found.path or "/") + (f"?{found.query}" if found.query else "")
    is_secure = found.scheme == "https"
    return Destination(is_secure, ascii_host, port or PORTS[found.scheme], target)


def _is_odd(url: str) -> bool:
    """Return whether an address has characters that addresses write in another way."""
    return len(url) > LONGEST_URL or not all("!" <= one <= "~" for one in _after_host(url))


def _after_host(url: str) -> str:
    """Return what follows the host, which alone may hold letters of any script."""
    return "".join(urlsplit(url)[2:])


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
    if not settings.PRIVATE_WEBHOOKS and not all(map(_is_public, numeric)):
        raise Forbidden("The address leads into a private network.")
    return numeric


def _is_public(numeric: str) -> bool:
    return _is_open(ipaddress.ip_address(numeric.partition("%")[0]))


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
