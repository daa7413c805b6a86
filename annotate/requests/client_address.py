"""The network address of a request's client, as limits need it."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

OF_ONE_SUBSCRIBER = 64  # bits of an IPv6 address that identify a connection; users choose the rest


def client_address(request: HttpRequest) -> str:
    """Return the client's address (for IPv6, its network); "" if it is unknown.

    `NUM_PROXIES` says how many of the addresses appended by proxies are reliable. A client can
    write anything before them.
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
