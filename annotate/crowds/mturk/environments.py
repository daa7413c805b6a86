"""The environments of MTurk: production, the sandbox, and other servers with its protocol."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from annotate.crowds.base import Configuration

PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"


@dataclass(frozen=True)
class Environment:
    """`sites`: where workers see our pages in a frame, and where these submit the work."""

    environment: str
    endpoint: str
    sites: tuple[str, ...]
    own: bool = False  # not Amazon's

    @property
    def plain_http(self) -> bool:
        """Return whether our pages may be without TLS, which only a local server allows."""
        return self.own and urlsplit(self.endpoint).scheme == "http"

    def listing_url(self, group: str) -> str:
        return f"{self.sites[0]}/mturk/preview?groupId={group}"


AMAZON = {
    "production": Environment(
        "production", PRODUCTION, ("https://worker.mturk.com", "https://www.mturk.com")
    ),
    "sandbox": Environment("sandbox", SANDBOX, ("https://workersandbox.mturk.com",)),
}
HOSTS = {urlsplit(world.endpoint).hostname: name for name, world in AMAZON.items()}


def environment_of(endpoint: str) -> str:
    """Return the environment of an endpoint."""
    parts = urlsplit(endpoint)
    return HOSTS.get(parts.hostname) or parts.netloc.rpartition("@")[2].lower()


def world(environment: str, endpoint_url: str, worker_url: str) -> Environment:
    """Return the environment that the settings name; raises `Configuration` if they contradict."""
    found = environment_of(endpoint_url) if endpoint_url else environment
    if found not in AMAZON:
        return _own(endpoint_url, worker_url)
    if found != environment:
        raise Configuration(
            f"MTURK_ENDPOINT_URL is the address of {found}, but MTURK_ENVIRONMENT says "
            f"{environment}: set both to the same, or leave the address out."
        )
    if worker_url:
        raise Configuration(
            "MTURK_WORKER_URL is for other servers than Amazon's: leave it out, or set "
            "MTURK_ENDPOINT_URL too."
        )
    return AMAZON[found]


def _own(endpoint_url: str, worker_url: str) -> Environment:
    origins = [origin(url) for url in (endpoint_url, worker_url or endpoint_url)]
    if not endpoint_url or None in origins:
        raise Configuration(
            "Set MTURK_ENVIRONMENT to sandbox or production, or MTURK_ENDPOINT_URL to the "
            "address of another server (such as http://localhost:8123), and MTURK_WORKER_URL, "
            "if at all, to the address where its workers are."
        )
    return Environment(environment_of(endpoint_url), endpoint_url, (str(origins[1]),), own=True)


def origin(url: str) -> str | None:
    """Return scheme, host and port of an address; None if it is not an address."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return f"{parts.scheme}://{parts.hostname}{port}"
