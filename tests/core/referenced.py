"""The reference fed with samples, and what the engine found under the reference's names."""

from __future__ import annotations

import pytest

from estimation.core import IntervalUnavailableError
from tests.core import reference


def rows_of(sample):
    """The judgments as (item, person, score)."""
    columns = (sample.item.tolist(), sample.annotator.tolist(), sample.score.tolist())
    return list(zip(*columns, strict=True))


def expected_of(sample, *, estimator, **options):
    """What the reference computes of a sample."""
    return reference.estimate(
        rows_of(sample),
        sample.n_population,
        (sample.scale.low, sample.scale.high),
        sample.metric,
        estimator=estimator,
        **options,
    )


def ends_of(found, level):
    """The two ends of the engine's interval, or None twice."""
    try:
        interval = found.interval(level)
    except IntervalUnavailableError:
        return {"low": None, "high": None}
    if found.std_error < 1e-10 and found.df < 1:
        # Nothing but rounding, times a quantile of any size.
        return {"df": found.df}
    return {"low": interval.low, "high": interval.high, "df": found.df}


def engine_parts(found, level):
    """What the engine found, under the reference's names."""
    parts = found.variance
    return {
        "estimate": found.estimate,
        "centre": found.centre,
        "A_eff": found.effective_annotators,
        "item": parts.item,
        "residual": parts.rest,
        "V_annot": parts.annotator_sum,
        "V_cell": parts.cell_sum,
        "V_person": parts.annotator,
        "raw": parts.annotator_raw,
        "s3_factor": parts.s3_factor,
        "pulled": parts.pulled and parts.annotator > 1e-20,
        "std_error": found.std_error,
    } | ends_of(found, level)


def reference_parts(found):
    found = found | {"item": (1 - found["f"]) * found["V_item"]}
    # Of constant scores nothing is left but rounding, and either answer is right.
    found["pulled"] = (found["V_person"] or 0.0) > 1e-20 and found["pull"]["active"]
    return found if found["low"] is not None else found | {"df": None}


def agree(engine, expected):
    for name, value in engine.items():
        wanted = expected[name]
        if value is None or wanted is None:
            assert value is wanted, (name, value, wanted)
        else:
            assert value == pytest.approx(wanted, rel=1e-8, abs=1e-8), name
