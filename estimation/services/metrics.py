"""Computing the campaign's metric for all of its outputs, in chunks that progress can count."""

from collections.abc import Callable, Iterator
from itertools import islice

from annotate.selectors import outputs
from annotate.selectors.evidence import Brief
from annotate.selectors.outputs import OutputText
from estimation.metrics import METRICS
from estimation.models import MetricScore

CHUNK = 200
GIVEN = "given"
Progress = Callable[[int, int], None]


def ensure(brief: Brief, *, progress: Progress | None = None) -> None:
    """Compute what is missing of the campaign's metric; returns at once when nothing is.

    Safe to run twice and at the same time: a score that exists is left as it is.
    """
    if not brief.metric:
        return
    total = outputs.total(brief.campaign_id)
    stored = MetricScore.objects.filter(campaign=brief.campaign_id, metric=brief.metric)
    if stored.count() == total:
        return
    done = set(stored.values_list("output_id", flat=True))
    missing = (row for row in outputs.texts(brief.campaign_id) if row.output_id not in done)
    finished = len(done)
    for chunk in _chunks(missing):
        MetricScore.objects.bulk_create(_scores(brief, chunk), ignore_conflicts=True)
        finished += len(chunk)
        if progress is not None:
            progress(finished, total)


def _chunks(rows: Iterator[OutputText]) -> Iterator[list[OutputText]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _scores(brief: Brief, chunk: list[OutputText]) -> list[MetricScore]:
    if all(brief.metric in row.given for row in chunk):
        version, values = GIVEN, [row.given[brief.metric] for row in chunk]
    else:
        metric = METRICS[brief.metric]
        texts, references = [row.text for row in chunk], [row.reference for row in chunk]
        version, values = str(metric.version), metric.score(texts, references).tolist()
    return [
        MetricScore(
            campaign_id=brief.campaign_id, output_id=row.output_id, metric=brief.metric,
            version=version, value=value,
        )
        for row, value in zip(chunk, values, strict=True)
    ]  # fmt: skip
