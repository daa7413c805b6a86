"""Metric scores of a campaign's outputs, computed in chunks, and once for equal texts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from annotate.campaigns import facts
from annotate.campaigns.facts import CampaignDesign, OutputText
from annotate.studies import queries as studies_queries
from estimation.metrics import (
    Metric,
    MetricError,
    Needs,
    UnknownMetricError,
    get,
    normalise,
    paragraphs,
)
from estimation.models import MetricScore

CHUNK = 200  # outputs that are computed and stored together
CHUNK_CHARACTERS = 200_000  # or their characters with references and inputs, whichever is first
GIVEN = "given"
Progress = Callable[[int, int], None]


class PartlyGivenError(MetricError):
    """A metric in the upload lacks values for some outputs."""


@dataclass(frozen=True)
class _Source:
    """The source of a metric's scores: a function, or None for the upload.

    done: the outputs that have a score of this version.
    """

    name: str
    metric: Metric | None
    version: str
    done: set[int]

    @property
    def needs(self) -> Needs:
        return "nothing" if self.metric is None else self.metric.needs

    def digest(self, row: OutputText) -> str:
        """Return a digest of all that the metric reads of the row; "" for uploaded values."""
        if self.metric is None:
            return ""
        beside = {
            "nothing": "",
            "reference": row.reference,
            "paragraphs": row.input,
            "others": "".join(map(_measured, row.others)),
        }
        pair = "" if row.second is None else "pair "
        whole = f"{pair}{''.join(map(_measured, row.texts))}{normalise(beside[self.needs])}"
        return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _measured(text: str) -> str:
    """Return the text after its length, which separates texts that would be equal when joined."""
    text = normalise(text)
    return f"{len(text)} {text}"


def ensure(design: CampaignDesign, *, progress: Progress | None = None) -> None:
    """Store the missing scores of the campaign's metrics; returns at once if there are none."""
    compute(design.campaign_id, design.metrics, progress=progress)


def compute(campaign_id: int, names: Sequence[str], *, progress: Progress | None = None) -> None:
    """Store the scores of these metrics for every output of the campaign.

    Uploaded values are stored unchanged. A score of another version of the metric is replaced. The
    score of another output with equal text (and equal reference or input), in any campaign, is
    copied. Safe to repeat, to run concurrently, and to run again after a crash: each chunk is
    stored when it is done. `progress(done, total)` counts scores.
    Raises UnknownMetricError, PartlyGivenError or another MetricError.
    """
    total = facts.total(campaign_id)
    names = [name for name in dict.fromkeys(names) if not _complete(campaign_id, name, total)]
    sources = [_source(campaign_id, name, total) for name in names]
    lacking = sum(total - len(source.done) for source in sources)
    if not lacking:
        return
    store = _Store(campaign_id, total * len(sources), total * len(sources) - lacking, progress)
    needs = {source.needs for source in sources}
    rows = facts.texts(
        campaign_id,
        with_input="paragraphs" in needs,
        with_others="others" in needs,
        paired=studies_queries.compares(campaign_id),
    )
    lack = (row for row in rows if any(row.output_id not in source.done for source in sources))
    for batch in _batches(lack):
        for source in sources:
            left = _save_known(source, batch, store)
            if source.metric is not None and left:
                store.save(source, left, _values(source.metric, left))


def _values(metric: Metric, rows: Sequence[OutputText]) -> list[float]:
    """Compute a metric of these rows; of a pair, how much more its first text has."""
    each = [(row, text) for row in rows for text in row.texts]
    parts = metric.needs == "paragraphs"
    values = metric.score(
        [text for _row, text in each],
        [row.reference for row, _text in each],
        paragraphs=[paragraphs(row.input) for row, _text in each] if parts else None,
        others=[row.others for row, _text in each],
    )
    found = values if rows[0].second is None else values[0::2] - values[1::2]
    return [float(value) for value in found]


@dataclass
class _Store:
    """Writes scores and counts them."""

    campaign_id: int
    total: int
    done: int
    progress: Progress | None

    def save(self, source: _Source, rows: Sequence[OutputText], values: Sequence[float]) -> None:
        if not rows:
            return
        scores = [
            MetricScore(
                campaign_id=self.campaign_id,
                output_id=row.output_id,
                metric=source.name,
                version=source.version,
                digest=source.digest(row),
                value=value,
            )
            for row, value in zip(rows, values, strict=True)
        ]
        MetricScore.objects.bulk_create(
            scores,
            update_conflicts=True,
            unique_fields=["output", "metric"],
            update_fields=["version", "digest", "value"],
        )
        self.done += len(rows)
        if self.progress is not None:
            self.progress(self.done, self.total)


def _complete(campaign_id: int, name: str, total: int) -> bool:
    """Return whether every output has a current score. It is cheap, because it is called often."""
    versions = [GIVEN]
    try:
        versions.append(get(name).version)
    except UnknownMetricError:
        pass
    stored = MetricScore.objects.filter(campaign=campaign_id, metric=name, version__in=versions)
    return stored.count() == total


def _source(campaign_id: int, name: str, total: int) -> _Source:
    version, metric = GIVEN, None
    given = facts.total_given(campaign_id, name)
    if given < total or not total:
        try:
            metric = get(name)
        except UnknownMetricError:
            if given:
                raise PartlyGivenError(
                    f"The metric {name} was given for {given} of {total} outputs; it must be "
                    "known for all of them."
                ) from None
            raise
        version = metric.version
    stored = MetricScore.objects.filter(campaign=campaign_id, metric=name, version=version)
    return _Source(name, metric, version, set(stored.values_list("output_id", flat=True)))


def _batches(rows: Iterator[OutputText]) -> Iterator[list[OutputText]]:
    """Cut into chunks of similar duration: several must fit into a task's time limit."""
    batch: list[OutputText] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(map(len, row.texts)) + len(row.reference) + len(row.input)
        characters += sum(map(len, row.others))
        if len(batch) == CHUNK or characters >= CHUNK_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _save_known(source: _Source, batch: list[OutputText], store: _Store) -> list[OutputText]:
    """Store uploaded scores and those of equal texts; return the other rows."""
    lacking = [row for row in batch if row.output_id not in source.done]
    if source.metric is None:
        store.save(source, lacking, [row.given[source.name] for row in lacking])
        return []
    stored = MetricScore.objects.filter(
        metric=source.name,
        version=source.version,
        digest__in={source.digest(row) for row in lacking},
    )
    value = dict(stored.values_list("digest", "value"))
    known = [row for row in lacking if source.digest(row) in value]
    store.save(source, known, [value[source.digest(row)] for row in known])
    return [row for row in lacking if source.digest(row) not in value]
