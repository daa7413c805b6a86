"""One call of a webhook: a POST with a time limit that follows no redirect and reads no body."""

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping

from annotate.errors import Invalid
from annotate.services.notifications import destinations
from annotate.services.notifications.destinations import Destination

SECONDS = 10.0  # for everything after the name is resolved
GONE = 410


class Failed(Exception):
    """The call had no success; the message says why, without anything of the far side."""


def post(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = SECONDS) -> int:
    """Send `body`; return the status if the far side has taken it (2xx) or is gone (410).

    Raises `Failed` for everything else.
    """
    try:
        status = _status(destinations.parsed(url), body, headers, seconds)
    except destinations.Forbidden as error:
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
    sock = _opened(destinations.addresses(at), at.port, seconds)
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
