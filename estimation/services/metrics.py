"""Computing the campaign's metrics for all of its outputs, in chunks that progress can count."""

from collections.abc import Callable, Iterator
from itertools import islice

from django.db.models import Count

from annotate.selectors import outputs
from annotate.selectors.evidence import Brief
from annotate.selectors.outputs import OutputText
from estimation.metrics import METRICS
from estimation.models import MetricScore

CHUNK = 200
GIVEN = "given"
Progress = Callable[[int, int], None]


def ensure(brief: Brief, *, progress: Progress | None = None) -> None:
    """Compute what is missing of the campaign's metrics; returns at once when nothing is.

    Safe to run twice and at the same time: a score that exists is left as it is.
    """
    if not brief.metrics:
        return
    each = outputs.total(brief.campaign_id)
    stored = MetricScore.objects.filter(campaign=brief.campaign_id)
    counts = dict(stored.values_list("metric").annotate(n=Count("pk")).order_by())
    finished = sum(counts.get(name, 0) for name in brief.metrics)
    for name in brief.metrics:
        if counts.get(name, 0) == each:
            continue
        done = set(stored.filter(metric=name).values_list("output_id", flat=True))
        missing = (row for row in outputs.texts(brief.campaign_id) if row.output_id not in done)
        for chunk in _chunks(missing):
            scores = _scores(brief.campaign_id, name, chunk)
            MetricScore.objects.bulk_create(scores, ignore_conflicts=True)
            finished += len(chunk)
            if progress is not None:
                progress(finished, each * len(brief.metrics))


def _chunks(rows: Iterator[OutputText]) -> Iterator[list[OutputText]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _scores(campaign_id: int, name: str, chunk: list[OutputText]) -> list[MetricScore]:
    if all(name in row.given for row in chunk):
        version, values = GIVEN, [row.given[name] for row in chunk]
    else:
        metric = METRICS[name]
        texts, references = [row.text for row in chunk], [row.reference for row in chunk]
        found = metric.score(texts, references, paragraphs=[row.paragraphs for row in chunk])
        version, values = str(metric.version), found.tolist()
    return [
        MetricScore(
            campaign_id=campaign_id, output_id=row.output_id, metric=name,
            version=version, value=value,
        )
        for row, value in zip(chunk, values, strict=True)
    ]  # fmt: skip
