"""From which network address a request comes, as far as limits need it."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

OF_ONE_SUBSCRIBER = 64  # bits of an IPv6 address that name a connection; the rest is anybody's


def client_address(request: HttpRequest) -> str:
    """Return the client's address, of IPv6 its network; "" where it cannot be known.

    Of what proxies appended, `NUM_PROXIES` says how much is to be believed: a client can write
    anything before that.
    """
    passed = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",")]
    believed = settings.NUM_PROXIES
    given = passed[-min(believed, len(passed))] if believed and any(passed) else ""
    return _network(given or request.META.get("REMOTE_ADDR", ""))


def _network(given: str) -> str:
    try:
        address = ip_address(given)
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address, OF_ONE_SUBSCRIBER), strict=False))
