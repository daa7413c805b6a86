"""A crowd that does as it is told: what goes wrong on the way to the outbox, on purpose."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal

from annotate.crowds import adapters
from annotate.crowds.contract import (
    Bonus,
    Capabilities,
    Claim,
    Completion,
    Effect,
    Event,
    InvalidEntry,
    ListingProblem,
    Outcome,
    Posted,
    PostingLevel,
    Spec,
    Stage,
    Submission,
)
from annotate.crowds.prices import Price


class Killed(BaseException):
    """The worker dies: nothing after this line runs."""


Step = Outcome | BaseException | Callable[[], None]


class Scripted:
    """Keeps what was asked of it. Each operation takes the next step of its script, then works.

    An exception is raised before anything happens; `after(…)` is raised once it has happened;
    an outcome is returned, and nothing happens.
    """

    key, label, environment = "mturk", "Scripted crowd", "sandbox"
    refusal_limit = timedelta(days=7)

    def __init__(self, **can: object) -> None:
        usual = {"token_life": timedelta(hours=24), "places_at_most": 9, "idempotent_bonus": True}
        self.can = Capabilities(**{**usual, **can})  # type: ignore[arg-type]
        self.script: dict[str, list[Step]] = {}
        self.calls: list[str] = []
        self.published: dict[str, Spec] = {}  # by the key of the effect
        self.tokens_known = True  # whether a repeated key is recognised
        self.extended: dict[str, int] = {}
        self.stopped: list[str] = []
        self.problems: list[ListingProblem] = []
        self.funds: Decimal | None = Decimal("1000.00")

    def will(self, operation: str, *steps: Step) -> None:
        self.script.setdefault(operation, []).extend(steps)

    def _do(self, operation: str, effect: Callable[[], Outcome]) -> Outcome:
        self.calls.append(operation)
        step = self.script.get(operation, [None]).pop(0) if self.script.get(operation) else None
        if isinstance(step, Outcome):
            return step
        if isinstance(step, After):
            effect()
            raise step.error
        if isinstance(step, AfterOutcome):
            effect()
            return step.outcome
        if isinstance(step, BaseException):
            raise step
        return effect()

    # entry
    def parse_entry(self, params: Mapping[str, str]) -> Claim:
        raise InvalidEntry("Nobody comes from here.", 404)

    def verify_claim(self, claim: Claim) -> bool:
        return False

    def completion(self, *, unit: str, submit_to: str, receipt: str, code: str) -> Completion:
        return Completion(f"https://x.test/{code}")

    def frame_policy(self) -> dict[str, list[str]]:
        return {}

    # launch
    def validate(self, spec: Spec) -> list[ListingProblem]:
        return self.problems

    def estimate_cost(self, reward: Decimal, places: int) -> Price | None:
        return adapters.tariffs_of(self.key).unit(reward) * places

    def bonus_cost(self, amount: Decimal) -> Price | None:
        return adapters.tariffs_of(self.key).bonus(amount)

    def currency(self) -> str:
        return "USD"

    def balance(self) -> Decimal | None:
        return self.funds

    def publish(self, spec: Spec, op_id: str) -> Outcome:
        def effect() -> Outcome:
            again = op_id in self.published and self.tokens_known
            key = op_id if again or op_id not in self.published else f"{op_id}-again"
            self.published[key] = spec
            posted = self._posted(key)
            return Outcome(Effect.ALREADY if again else Effect.APPLIED, posted=posted)

        return self._do("publish", effect)

    def find_postings(self, op_id: str) -> list[Posted]:
        found = [self._posted(key) for key in self.published if key.startswith(op_id)]
        outcome = self._do("find_postings", lambda: Outcome(Effect.APPLIED))
        return found if outcome.happened else []

    def _posted(self, key: str) -> Posted:
        return Posted(f"L-{key[:12]}", self.published[key].places, group="G", url="https://x.test/")

    def add_places(self, listing: str, n: int, op_id: str) -> Outcome:
        def effect() -> Outcome:
            self.extended[listing] = self.extended.get(listing, 0) + n
            return Outcome(Effect.APPLIED)

        return self._do("add_places", effect)

    def stop(self, listing: str) -> Outcome:
        def effect() -> Outcome:
            again = listing in self.stopped
            self.stopped.append(listing)
            return Outcome(Effect.ALREADY if again else Effect.APPLIED)

        return self._do("stop", effect)

    def posting_level(self, listing: str) -> PostingLevel:
        self.calls.append("posting_level")
        places = next(
            s.places for k, s in self.published.items() if self._posted(k).listing == listing
        )
        return PostingLevel(Stage.OPEN, places + self.extended.get(listing, 0), 1, 0)

    # review, money and people: not this script's business
    def iter_submissions(self, listing: str) -> Iterator[Submission]:
        return iter(())

    def get_submission(self, unit: str) -> Submission:
        raise NotImplementedError

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        return self._do("find_bonus", lambda: Outcome(Effect.APPLIED)).happened

    def __getattr__(self, effect: str) -> Callable[..., Outcome]:
        """Every other effect happens, and leaves nothing behind."""
        if effect not in ("archive", "approve", "reject", "pay_bonus", "set_excluded", "message"):
            raise AttributeError(effect)
        return lambda *_asked, **_more: self._do(effect, lambda: Outcome(Effect.APPLIED))

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event:
        raise InvalidEntry("Nothing is told from here.", 404)


class After(BaseException):
    """It happens, then this error comes instead of an answer."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class AfterOutcome(BaseException):
    """It happens, but this is what the adapter makes of the answer."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


DROPPED = AfterOutcome(Outcome(Effect.AMBIGUOUS, "connection", "The connection was dropped."))
LOST = Outcome(Effect.AMBIGUOUS, "connection", "The connection was dropped.")
THROTTLED = Outcome(Effect.RETRYABLE, "throttled", "Too many calls.")
NO_MONEY = Outcome(Effect.REFUSED, "funds", "The account is empty.")
