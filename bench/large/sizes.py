"""How large a campaign is, and who judges what in it, as SQL in the number `t` of a judgment."""

from dataclasses import dataclass

SYSTEMS = 4
BUSY = 100  # people who judge about twice as much as the others
WAVES = 40  # people come in waves, one after the other
DAYS = 60


@dataclass(frozen=True)
class Size:
    """One campaign. People 0 … busy - 1 work all the time, the last ones have only entered."""

    judgments: int
    people: int
    age: int = DAYS  # days since it opened

    @property
    def busy(self) -> int:
        return max(1, min(BUSY, self.people // 10))

    @property
    def idle(self) -> int:
        return self.people // 100

    @property
    def waves(self) -> int:
        return max(1, min(WAVES, (self.people - self.busy - self.idle) // 50))

    @property
    def wave(self) -> int:
        """Return how many people come at a time."""
        return max(1, (self.people - self.busy - self.idle) // self.waves)

    @property
    def items(self) -> int:
        """A tenth of the items has not been judged yet."""
        return self.judgments * 4 // 5 // SYSTEMS * 11 // 10 + 2

    @property
    def outputs(self) -> int:
        return self.items * SYSTEMS

    @property
    def person(self) -> str:
        """Return who made judgment t: different people for the two of an output."""
        ordinary = f"{self.busy} + {self.wave_of} * {self.wave} + (t * 7919) % {self.wave}"
        return f"CASE WHEN t % 50 = 7 THEN (t / 50) % {self.busy} ELSE {ordinary} END"

    @property
    def wave_of(self) -> str:
        return f"LEAST({self.waves - 1}, t::bigint * {self.waves} / {self.judgments})"

    @property
    def position(self) -> str:
        """Systems take turns, and of every four positions the first is judged twice."""
        turn = f"(t / {SYSTEMS})"
        return f"(4 * ({turn} / 5) + CASE WHEN {turn} % 5 < 2 THEN 0 ELSE {turn} % 5 - 1 END)"

    @property
    def output(self) -> str:
        return f"{{base}} + {SYSTEMS} * {self.position} + t % {SYSTEMS}"

    @property
    def number(self) -> str:
        return f"CASE WHEN (t / {SYSTEMS}) % 5 = 1 THEN 2 ELSE 1 END"

    @property
    def judged_outputs(self) -> int:
        """Return the index of the first output without a judgment, for whole rounds."""
        rounds = -(-self.judgments // (5 * SYSTEMS))
        return rounds * 4 * SYSTEMS

    @property
    def opened(self) -> str:
        return f"(now() - interval '{self.age} days')"

    def at(self, share: str) -> str:
        """Return the time at this share (0 … 1) of the campaign's life until now."""
        return f"({self.opened} + ({share}) * interval '{self.age * 86400 - 7200} seconds')"

    @property
    def judged_at(self) -> str:
        return self.at(f"t::float / {self.judgments}")

    @property
    def entered_at(self) -> str:
        """Return when person t came: shortly before their wave begins."""
        first = f"GREATEST(0, (t - {self.busy}) / {self.wave})"
        return self.at(f"LEAST({first}, {self.waves}) / {self.waves}.0") + (
            " - (60 + t * 7919 % 3000) * interval '1 second'"
        )
