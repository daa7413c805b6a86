"""A brute-force reference for estimates and intervals: one system, or two systems' difference.

Written from the formulas alone (docs/statistics.md has them), for clarity and not for speed; it
shares no code with the engine. Where the formulas leave something open, the reference reads:

- Pseudo-rows join residuals r_i = ȳ_i − b·x_i as lo, lo, hi, hi wherever no slope is refitted
  (mean, a constant metric, cross-fitted ridge): centre their mean, V_item their variance over
  n₂ = n + 4 with divisor n₂ − 1. Algorithm 1 fits its α̂ again with them; divisor n₂ − 2.
- Balanced weights: min(n − 2, A_eff − 1) degrees of freedom with any number of metrics.
- Ridge: rows are item means with weight W_i. The penalty multiplies |b|² beside the weighted mean
  of the squared errors, so that it means the same for any weights.
- A difference's net weight of an (item, person) pair is the mean of both systems' weights, as its
  share is the mean of both shares. Residuals are around each system's own mean, with own slopes.
- A difference's MSW': the variance of d given the item, per unit of Σw²/typ, with R the smaller of
  both systems' numbers of replicates.
- Independent judgments: V = s²·Σc², c the weights of the estimate as a sum of scores (where the
  slope is least squares; else w), s² = Σ(y − μ̂ − b·x)²/df with df = T − 1 − p; no pseudo-rows.
- Sequence: around the two-way centre with the two-way variance, one item a step.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import t as student

from tests.core import reference_parts

EQUAL = {"mean", "algorithm_1", "regression", "multi"}


def estimate(judgments, n_population, scale, metrics=None, *, estimator, **options):
    """The estimate of one system with everything that belongs to it.

    `judgments` are (item, person, score) triples, `metrics` has N rows, `scale` is (lo, hi). The
    options are those of `_options`. Keys of the result are the names of the formulas.
    """
    chosen = _options(options)
    judged = reference_parts.items_of(judgments)
    x = reference_parts.standardise(None if estimator == "mean" else metrics, n_population, judged)
    if estimator == "ppi":
        return _ppi(judgments, n_population, metrics, chosen["level"])
    fit = _fit(judgments, x, estimator, chosen)
    weights = fit["weights"]
    cells = {
        (item, person): (w * (y - fit["estimate"] - fit["correction"][item]), w)
        for (item, person, y), w in zip(judgments, weights, strict=True)
    }
    scores = [y for _, _, y in judgments]
    spread = sum((y - sum(scores) / len(scores)) ** 2 for y in scores) / len(scores)
    found = fit | reference_parts.person_part(cells, spread, chosen["person_share"])
    lo, hi = scale
    ends = [lo, lo, hi, hi] if chosen["pseudo_rows"] else []
    found |= _item_part(fit, estimator, ends, reference_parts.item_means(judgments, weights))
    msw, replicates = reference_parts.one_way_msw(judgments)
    h = found["w2"] / found["typ"]
    prior = (hi - lo) ** 2 / 2
    msw_ = (replicates * msw + 0.5 * prior) / (replicates + 0.5) if replicates else None
    found |= {"h": h, "MSW": msw, "MSW'": msw_, "R": replicates, "n": len(judged)}
    _finite(found, n_population, chosen["finite_population"])
    if chosen["interval"] == "iid":
        return found | _independent(judgments, found, estimator, chosen["level"])
    return found | _interval(found, chosen)


def difference(first, second, n_population, scale, metrics=(None, None), *, estimator, **options):
    """The first system minus the second, over the items judged for both.

    `metrics` holds the metrics of both systems; the estimator is `mean`, `regression`, `multi` or
    `balanced`.
    """
    chosen = _options(options)
    common = sorted(set(reference_parts.items_of(first)) & set(reference_parts.items_of(second)))
    systems = [[row for row in rows if row[0] in common] for rows in (first, second)]
    same_scores = {(i, p): y for i, p, y in systems[0]} == {(i, p): y for i, p, y in systems[1]}
    x = _both_metrics(metrics, n_population, common, estimator)
    weights, row_weight = _pair_weights(systems, estimator, chosen["balance"])
    means = [
        reference_parts.item_means(rows, own) for rows, own in zip(systems, weights, strict=True)
    ]
    d = {i: means[0][i] - means[1][i] for i in common}
    fit = _fit_rows(d, x["both"], row_weight, estimator, chosen, one_each=x["one_each"])
    fit |= {"weights": weights, "typ": sum(w**2 for w in row_weight.values()), "row": row_weight}
    cells = _net_cells(systems, weights, means, row_weight, _own_corrections(fit, x, common))
    middle = sum(row_weight[i] * d[i] for i in common)
    spread = sum(row_weight[i] * (d[i] - middle) ** 2 for i in common)
    found = fit | reference_parts.person_part(cells, spread, chosen["person_share"])
    width = scale[1] - scale[0]
    ends = [0, 0, width, -width] if chosen["pseudo_rows"] else []
    found |= _item_part(fit, estimator, ends, d)
    found |= _variance_of_d(systems, weights, found, width) | {"n": len(common)}
    _finite(found, n_population, chosen["finite_population"])
    if same_scores and x["same"]:
        nothing = ["estimate", "centre", "V_item", "residual", "V_item_fpc"]
        nothing += [] if found["V_person"] is None else ["V_person", "raw"]
        found |= dict.fromkeys(nothing, 0.0) | {"pull": {"active": False}}
    return found | _interval(found, chosen)


def _options(given):
    """The options with their defaults.

    `penalty` is that of the ridge (several metrics). `finite_population`
    and `pseudo_rows` can be switched off. `t_opt` belongs to the sequence.
    """
    defaults = {
        "interval": "two_way",
        "estimand": "population",
        "level": 0.95,
        "balance": 0.15,
        "person_share": 0.08,
        "penalty": None,
        "t_opt": None,
        "finite_population": True,
        "pseudo_rows": True,
    }
    unknown = set(given) - set(defaults)
    assert not unknown, unknown
    return defaults | given


# --- fits


def _fit(judgments, x, estimator, chosen):
    """Weights, slopes and the plain estimate of one system."""
    if estimator in EQUAL:
        weights = reference_parts.equal_weights(judgments)
    else:
        weights = reference_parts.balanced_weights(judgments, chosen["balance"])
    means = reference_parts.item_means(judgments, weights)
    row = reference_parts.item_weights(judgments, weights)
    fit = _fit_rows(means, x, row, estimator, chosen)
    fit["estimate"] = sum(
        w * (y - fit["correction"][i]) for (i, _, y), w in zip(judgments, weights, strict=True)
    )
    typ = sum(w**2 for w in row.values())
    return fit | {"weights": weights, "row": row, "typ": typ}


def _fit_rows(y, x, row_weight, estimator, chosen, one_each=False):
    """Slopes for rows of items. `correction` is x_i·b_i, `slopes` is b_i, both by item."""
    columns = len(next(iter(x.values())))
    extra = {}
    if columns == 0:
        slopes, rank = {i: x[i] for i in y}, 0
    elif estimator == "algorithm_1":
        mean = sum(y.values()) / len(y)
        alpha = sum((y[i] - mean) * x[i] for i in y) / len(y)
        slopes, rank = dict.fromkeys(y, alpha), 1
        extra = {"alpha": float(alpha[0])}
    elif chosen["penalty"] is not None and not one_each:
        slopes = reference_parts.cross_fitted(y, x, row_weight, chosen["penalty"])
        rank = 0
    else:
        _, b, rank = reference_parts.least_squares(y, x, row_weight)
        slopes = dict.fromkeys(y, b)
        extra = {"slope": float(b[0])} if columns == 1 else {"slope": b}
    correction = {i: float(x[i] @ slopes[i]) for i in y}
    plain = sum(row_weight[i] * (y[i] - correction[i]) for i in y)
    found = {"slopes": slopes, "correction": correction, "rank": rank, "estimate": plain, "x": x}
    return found | extra


# --- the item part


def _item_part(fit, estimator, ends, means):
    """V_item, the centre with pseudo-rows and the item degrees of freedom."""
    if estimator == "balanced":
        return _weighted_item_part(fit, ends, means)
    if estimator == "regression" and fit["rank"]:
        return _least_squares_item_part(fit, ends, means)
    correction = fit["correction"]
    if estimator == "algorithm_1" and fit["rank"]:
        values = [*means.values(), *ends]
        middle = sum(values) / len(values)
        alpha = sum((means[i] - middle) * fit["x"][i][0] for i in means) / len(values)
        correction = {i: alpha * fit["x"][i][0] for i in means}
    rest = [means[i] - correction[i] for i in means] + ends
    used = 1 + fit["rank"]
    middle = sum(rest) / len(rest)
    s2 = sum((r - middle) ** 2 for r in rest) / (len(rest) - used)
    return {"centre_plus": middle, "V_item": s2 / len(rest), "df_item": len(means) - used}


def _least_squares_item_part(fit, ends, means):
    """V_item = s²·[(X'X)⁻¹]₀₀ of the fit with pseudo-rows: s²(1/n₂ + x̄₂²/Sxx₂) for one metric."""
    x = {("item", i): fit["x"][i] for i in means}
    y = {("item", i): means[i] for i in means}
    for number, end in enumerate(ends):
        x["pseudo", number] = 0 * fit["x"][next(iter(means))]
        y["pseudo", number] = end
    one = dict.fromkeys(y, 1.0)
    intercept, slopes, rank = reference_parts.least_squares(y, x, one)
    rss = sum((y[i] - intercept - float(x[i] @ slopes)) ** 2 for i in y)
    design = np.array([[1.0, *x[i]] for i in sorted(y)])
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-12, hermitian=True)
    s2 = rss / (len(y) - 1 - rank)
    df = len(means) - 1 - fit["rank"]
    return {"centre_plus": intercept, "V_item": s2 * float(inverse[0, 0]), "df_item": df}


def _weighted_item_part(fit, ends, means):
    typ, row = fit["typ"], fit["row"]
    whole = 1 + len(ends) * typ
    plus = (fit["estimate"] + typ * sum(ends)) / whole
    squares = sum((row[i] * (means[i] - fit["correction"][i] - plus)) ** 2 for i in means)
    squares += typ**2 * sum((end - plus) ** 2 for end in ends)
    return {"centre_plus": plus, "V_item": squares / whole**2, "df_item": len(means) - 2}


def _finite(found, n_population, finite):
    """f, the residual part, V_item with finite population, and the centre."""
    known = finite and found["R"] > 0
    f = 1 / (n_population * found["typ"]) if known else 0.0
    residual = found["MSW'"] * found["h"] / n_population if known else 0.0
    found |= {"f": f, "residual": residual, "V_item_fpc": (1 - f) * found["V_item"] + residual}
    shift = found["centre_plus"] - found["estimate"]
    found["centre"] = found["estimate"] + (1 - f) * shift


# --- intervals


def _interval(found, chosen):
    level, kind = chosen["level"], chosen["interval"]
    none = {"std_error": None, "low": None, "high": None, "df": None}
    variance, df = found["V_item_fpc"], found["df_item"]
    if chosen["estimand"] == "panel":
        none["V_person"] = 0.0
    else:
        if found["V_person"] is None:
            return none
        variance += found["V_person"]
        df = min(df, found["A_eff"] - 1)
    if df <= 0:
        return none
    std_error = math.sqrt(variance)
    answer = none | {"std_error": std_error, "df": df}
    if kind == "sequence":
        if found["n"] < 30:
            return none
        half = reference_parts.sequence_half(variance, found["n"], 1 - level, chosen["t_opt"])
        low, high = found["centre"] - half, found["centre"] + half
        return answer | {"low": min(low, found["estimate"]), "high": max(high, found["estimate"])}
    return answer | reference_parts.with_ends(
        found["estimate"], found["centre"], std_error, df, level
    )


def _independent(judgments, found, estimator, level):
    df = len(judgments) - 1 - found["rank"]
    x, weights, middle = found["x"], found["weights"], found["estimate"]
    rows = list(zip(judgments, weights, strict=True))
    s2 = sum((y - middle - found["correction"][i]) ** 2 for i, _, y in judgments) / df
    parts_of_estimate = list(weights)
    if "slope" in found:
        x_mean = sum(w * x[i] for (i, _, _), w in rows)
        sxx = sum(w * np.outer(x[i] - x_mean, x[i] - x_mean) for (i, _, _), w in rows)
        lever = np.linalg.solve(sxx, x_mean)
        parts_of_estimate = [w * (1 - float((x[i] - x_mean) @ lever)) for (i, _, _), w in rows]
    std_error = math.sqrt(s2 * sum(c**2 for c in parts_of_estimate))
    half = student.ppf((1 + level) / 2, df) * std_error
    ends = {"centre": middle, "low": middle - half, "high": middle + half}
    return ends | {"std_error": std_error, "df": df, "V_person": 0.0}


def _ppi(judgments, n_population, metrics, level):
    column = [float(value) for value in np.asarray(metrics).reshape(n_population)]
    means = reference_parts.item_means(judgments, [1.0] * len(judgments))
    pool = [column[i] for i in range(n_population) if i not in means]
    items = sorted(means)
    y, x = [means[i] for i in items], [column[i] for i in items]
    return reference_parts.ppi_plus_plus(y, x, pool, level)


# --- two systems


def _both_metrics(metrics, n_population, common, estimator):
    """x¹ and x² side by side, and what they were made of."""
    used = (None, None) if estimator == "mean" else metrics
    own = [reference_parts.standardise(columns, n_population, common) for columns in used]
    both = {i: np.concatenate([own[0][i], own[1][i]]) for i in range(n_population)}
    given = [None if m is None else np.asarray(m, dtype=float).tolist() for m in metrics]
    widths = [len(x[0]) for x in own]
    columns = [0 if m is None else np.asarray(m).reshape(n_population, -1).shape[1] for m in used]
    found = {"both": both, "own": own, "widths": widths, "one_each": max(columns) <= 1}
    return found | {"same": given[0] == given[1]}


def _pair_weights(systems, estimator, balance):
    """Each system's weights w^s_ij, which add up to W_i in each item, and W_i."""
    counts = [reference_parts.count_by_item(rows) for rows in systems]
    if estimator != "balanced":
        weights = [reference_parts.equal_weights(rows) for rows in systems]
        return weights, reference_parts.item_weights(systems[0], weights[0])
    work = {}
    for rows, k in zip(systems, counts, strict=True):
        for item, person, _ in rows:
            work[person] = work.get(person, 0.0) + 0.5 / k[item]
    raw = [
        [1 / (k[item] * (1 + balance * work[person])) for item, person, _ in rows]
        for rows, k in zip(systems, counts, strict=True)
    ]
    sums = [reference_parts.item_weights(rows, a) for rows, a in zip(systems, raw, strict=True)]
    total = sum(sum(s.values()) for s in sums)
    row = {i: (sums[0][i] + sums[1][i]) / total for i in sums[0]}
    weights = [
        [row[item] * value / s[item] for (item, _, _), value in zip(rows, a, strict=True)]
        for rows, a, s in zip(systems, raw, sums, strict=True)
    ]
    return weights, row


def _own_corrections(fit, x, common):
    """b¹·x¹ for the first system; −b²·x² for the second, which is subtracted in d."""
    split = x["widths"][0]
    first = {i: float(x["own"][0][i] @ fit["slopes"][i][:split]) for i in common}
    second = {i: -float(x["own"][1][i] @ fit["slopes"][i][split:]) for i in common}
    return first, second


def _net_cells(systems, weights, means, row_weight, corrections):
    """(item, person) → net u of both systems, and the mean of both weights."""
    cells = {}
    for sign, rows, own, mean, correction in zip(
        (1, -1), systems, weights, means, corrections, strict=True
    ):
        middle = sum(row_weight[i] * (mean[i] - correction[i]) for i in mean)
        for (item, person, y), w in zip(rows, own, strict=True):
            u, share = cells.get((item, person), (0.0, 0.0))
            u += sign * w * (y - correction[item] - middle)
            cells[item, person] = (u, share + w / 2)
    return cells


def _variance_of_d(systems, weights, found, width):
    """The variance of d given the item with half a pseudo-pair of range 2(hi − lo)."""
    squares = [reference_parts.one_way_msw(rows) for rows in systems]
    replicates = min(r for _, r in squares)
    h = found["w2"] / found["typ"]
    if replicates == 0:
        return {"h": h, "R": 0, "MSW": None, "MSW'": None}
    scores = [{(i, p): y for i, p, y in rows} for rows in systems]
    weight = [
        {(i, p): w for (i, p, _), w in zip(rows, own, strict=True)}
        for rows, own in zip(systems, weights, strict=True)
    ]
    both = sorted(set(scores[0]) & set(scores[1]), key=str)
    products, freedom = 0.0, 0
    for item in {i for i, _ in both}:
        pairs = [(scores[0][c], scores[1][c]) for c in both if c[0] == item]
        middles = [sum(pair[s] for pair in pairs) / len(pairs) for s in (0, 1)]
        products += sum((a - middles[0]) * (b - middles[1]) for a, b in pairs)
        freedom += len(pairs) - 1
    covariance = products / freedom if freedom else 0.0
    inside = sum(
        msw * sum(w**2 for w in own.values()) for (msw, _), own in zip(squares, weight, strict=True)
    ) - 2 * covariance * sum(weight[0][c] * weight[1][c] for c in both)
    msw = max(0.0, inside) / found["w2"]
    prior = (2 * width) ** 2 / 2
    msw_ = (replicates * msw + 0.5 * prior) / (replicates + 0.5)
    return {"h": h, "R": replicates, "MSW": msw, "MSW'": msw_}
