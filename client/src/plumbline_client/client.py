"""The client: what can be asked of a server, by what it is about."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from plumbline_client import keywords, rows
from plumbline_client.gold import Gold
from plumbline_client.importing import Importing, path_of
from plumbline_client.instruments import Instruments
from plumbline_client.money import Batches, Pay
from plumbline_client.rows import Act, Campaign, Comparison, Estimate, Judgment, Subscription
from plumbline_client.screens import Screens


class Plumbline(Importing):
    """A connection to a Plumbline server. Close it, or use it in a `with` statement.

    url, token: by default the environment's PLUMBLINE_URL and PLUMBLINE_TOKEN.
    timeout: seconds that the server may stay silent.
    insecure: whether the token may go over plain http to another machine.

    Requests are repeated up to three times where the server is away, but for the export and files.
    What changes something carries a key, by which the server knows a repeat: it is done once.
    """

    # --- campaigns

    def campaigns(self) -> Iterator[Campaign]:
        """Yield the account’s campaigns, the newest first."""
        return map(rows.campaign, self._at.pages("campaigns/"))

    def open(self, campaign: str) -> Campaign:
        """Start collecting, or go on after a pause."""
        return rows.campaign(self._at.post(f"{path_of(campaign)}open/"))

    def pause(self, campaign: str) -> Campaign:
        return rows.campaign(self._at.post(f"{path_of(campaign)}pause/"))

    def end(self, campaign: str) -> Campaign:
        """Close the campaign by hand; its final estimates follow."""
        return rows.campaign(self._at.post(f"{path_of(campaign)}close/"))

    def archive(self, campaign: str) -> Campaign:
        """Archive a draft or a closed campaign; its numbers stay."""
        return rows.campaign(self._at.post(f"{path_of(campaign)}archive/"))

    def delete_draft(self, campaign: str) -> None:
        """Delete a campaign that was never open, with its texts. `Conflict` for any other."""
        self._at.post(f"{path_of(campaign)}delete/")

    def wait_until_closed(self, campaign: str, *, timeout: float, every: float = 30.0) -> Campaign:
        """Return the campaign once it is closed; `TimeoutError` after `timeout` seconds."""
        return self._until(
            lambda: self.campaign(campaign), lambda one: one.is_over, wait=timeout, every=every
        )

    # --- people

    def link(self, campaign: str) -> str:
        """Return the link by which everybody can judge."""
        return str(self._at.get(f"{path_of(campaign)}links/")["open"])

    def personal_links(self, campaign: str, names: Iterable[str]) -> dict[str, str]:
        """Return a link for each name or code."""
        told = self._at.post(f"{path_of(campaign)}links/", {"names": list(names)})
        return {one["name"]: one["link"] for one in told["personal"]}

    def experts(self, campaign: str) -> list[dict[str, Any]]:
        """Return the named experts with their links, those who were released last."""
        return list(self._at.get(f"{path_of(campaign)}experts/"))

    def release_expert(
        self, campaign: str, name: str, reason: str, *, replacement: str = ""
    ) -> list[dict[str, Any]]:
        """Release an expert, or name another one in place of them; return all experts."""
        told = {"name": name, "reason": reason, "replacement": replacement}
        return list(self._at.post(f"{path_of(campaign)}experts/release/", told))

    # --- results

    def plan(self, **options: Any) -> dict[str, Any]:
        """Return what a target width or a ranking takes, or what a budget buys, before a campaign.

        options: target, margin (of a ranking; `ranked_by="pairs"` for texts judged side by side) or
        money; items, systems, rho and others, as the description of the API lists them.
        """
        return dict(self._at.get("plan/", **options))

    def estimates(self, campaign: str) -> Iterator[Estimate]:
        """Yield the newest estimate of each system and criterion."""
        return map(rows.estimate, self._at.pages(f"{path_of(campaign)}estimates/"))

    def comparisons(self, campaign: str) -> Iterator[Comparison]:
        """Yield the newest difference of each pair of systems on each primary criterion."""
        return map(rows.comparison, self._at.pages(f"{path_of(campaign)}comparisons/"))

    def judgments(self, campaign: str) -> Iterator[Judgment]:
        """Yield all judgments in the order in which they came."""
        listed = self._at.pages(f"{path_of(campaign)}judgments/", page_size=1000)
        return map(rows.judgment, listed)

    def activity(self, campaign: str, *, show: str | None = None) -> Iterator[Act]:
        """Yield who did what in a campaign, the newest first.

        show: only acts about the campaign, reviews, crowd or pay.
        """
        return map(rows.act, self._at.pages(f"{path_of(campaign)}activity/", show=show))

    def listed(self, campaign: str, what: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of another list of a campaign, as the API tells them.

        what: items, outputs, metrics, annotators, exclusions, decisions, agreement, batches, ...
        """
        return self._at.pages(f"{path_of(campaign)}{quote(what)}/", **query)

    def told(self, campaign: str, what: str) -> dict[str, Any]:
        """Return one answer about a campaign as the API tells it: report, ranking, screens, ..."""
        return dict(self._at.get(f"{path_of(campaign)}{quote(what)}/"))

    def export(self, campaign: str, to: str | Path) -> Path:
        """Write the zip with all of a campaign; nothing stands at `to` unless all of it came."""
        self._at.save(f"{path_of(campaign)}export/", Path(to))
        return Path(to)

    # --- reviews

    def reviews(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield who waits for a ruling or a look; query: campaign, screen, tier, crowd, by."""
        keywords.check("reviews", query, keywords.REVIEWS)
        return self._at.pages("reviews/", **query)

    def rule(
        self, campaign: str, annotator: str, *, acts: Iterable[str], reason: str, seen: int
    ) -> dict[str, Any]:
        """Rule on an annotator, by pseudonym. seen: the case’s `seen`, the last ruling you know."""
        body = {"acts": list(acts), "reason": reason, "seen": seen}
        return dict(
            self._at.post(f"{path_of(campaign)}reviews/{quote(annotator, safe='')}/rule/", body)
        )

    # --- money and gold

    def batches(self, campaign: str) -> Batches:
        """Return the batches on the campaign’s crowd: look through them, offer, launch, stop."""
        return Batches(self._at, path_of(campaign))

    def pay(self, campaign: str) -> Pay:
        """Return the pay of the campaign: accounts, extra pay, pay-out lists."""
        return Pay(self._at, path_of(campaign))

    def gold(self, campaign: str) -> Gold:
        """Return the gold items of the campaign."""
        return Gold(self._at, path_of(campaign))

    # --- how it is asked, and how work is looked at

    def screens(self, campaign: str) -> Screens:
        """Return the settings of the campaign’s screens: read them, change them."""
        return Screens(self._at, path_of(campaign))

    def instruments(self) -> Instruments:
        """Return the instruments and tutorials of the server: look through them, define one."""
        return Instruments(self._at)

    # --- notifications

    def tell_me(
        self, campaign: str, *, events: Iterable[str], webhook: str | None = None
    ) -> Subscription:
        """Be told of events by a mail to the account’s address, or by calls of `webhook`.

        events: of closed, decision, flag, budget, status. `plumbline_client.webhook` checks calls.
        """
        channel = "webhook" if webhook else "mail"
        body = {"channel": channel, "url": webhook or "", "events": list(events)}
        return rows.subscription(self._at.post(f"{path_of(campaign)}notifications/", body))

    def notifications(self, campaign: str) -> Iterator[Subscription]:
        """Yield who is told of events, then the last subscriptions that have ended."""
        return map(rows.subscription, self._at.pages(f"{path_of(campaign)}notifications/"))

    def test_notifications(self, campaign: str, subscription: str) -> Subscription:
        """Let a test be sent soon."""
        return self._notifications(campaign, subscription, "test")

    def end_notifications(self, campaign: str, subscription: str) -> Subscription:
        """End a subscription. Safe to repeat."""
        return self._notifications(campaign, subscription, "end")

    def _notifications(self, campaign: str, subscription: str, act: str) -> Subscription:
        at = f"{path_of(campaign)}notifications/{quote(subscription, safe='')}/{act}/"
        return rows.subscription(self._at.post(at))

    # --- anything else

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer at another address of the API, such as `instruments/`."""
        return self._at.get(path.lstrip("/"), **query)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send to another address of the API. It is done once, also where it is repeated."""
        return self._at.post(path.lstrip("/"), body)
