"""`manage.py estimate`: numbers, table, options, and every error in one line."""

import json
import random
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

# The known answers of docs/statistics.md take metrics as given.
RAW = ("--metric-transform", "raw")
KEYS = [
    *("system", "criterion", "estimator", "estimate", "std_error", "low", "high", "level", "df"),
    *("estimand", "n_items", "n_population", "finite_population", "groups", "n_judgments"),
    *("n_annotators", "effective_annotators", "variance", "rho", "gamma", "data_efficiency"),
    *("data_efficiency_cap", "notices", "centre", "A_eff", "balance", "person_share"),
    *("s3_factor", "pull", "squared_error", "metric_transform", "off_scale", "ridge"),
]
VARIANCE = ["item", "annotator", "residual", "one_way_item", "one_way_annotator", "item_means"]

# Case 2b of docs/statistics.md: ten judgments, ten outputs, one metric.
JUDGED = ["ap0", "aq1", "ar1", "bp0", "cp-1", "cq0", "dr1", "eq1", "fs-1", "ft0"]
METRIC = dict(
    zip("abcdefghij", (0.2, -0.4, -1.1, 0.9, 0.6, -0.7, 0.1, 0.3, -0.2, 0.5), strict=True)
)


def judgments(system: str = "alpha", criterion: str = "overall") -> list[str]:
    return [f"{system},{e[0]},{e[1]},{criterion},{e[2:]}" for e in JUDGED]


def metrics(system: str = "alpha", name: str = "g") -> list[str]:
    return [f"{system},{item},{name},{value}" for item, value in METRIC.items()]


@pytest.fixture
def files(tmp_path):
    def written(j: list[str] | None = None, m: list[str] | None = None) -> list[str | Path]:
        paths = tmp_path / "J.csv", tmp_path / "M.csv"
        j, m = judgments() if j is None else j, metrics() if m is None else m
        paths[0].write_text("\n".join(["system,item,annotator,criterion,score", *j]))
        paths[1].write_text("\n".join(["system,item,metric,value", *m]))
        return ["--judgments", str(paths[0]), *(["--metrics", str(paths[1])] if m else [])]

    return written


def run(*arguments: str) -> list[dict]:
    out = StringIO()
    call_command("estimate", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue(), parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def refused(*arguments: str) -> str:
    out = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("estimate", *arguments, stdout=out)
    assert out.getvalue() == ""
    assert caught.value.returncode == 1
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_known_answer_comes_out(files):
    (found,) = run(*files(), *RAW, "--no-finite-population", "--estimator", "regression")
    assert list(found) == KEYS
    assert list(found["variance"]) == VARIANCE
    assert found["estimate"] == pytest.approx(0.3689598, abs=5e-8)
    assert found["std_error"] == pytest.approx(0.2650753, abs=5e-8)
    assert (found["low"], found["high"]) == pytest.approx((-0.6240695, 1.0631061), abs=5e-8)
    assert (found["df"], found["effective_annotators"]) == pytest.approx((3, 4))
    crossed = [found["variance"][key] for key in ("item", "annotator", "residual")]
    assert crossed == pytest.approx([0.3121212, 0.4621212, 0.0], abs=5e-8)
    counts = [found[f"n_{what}"] for what in ("items", "population", "judgments", "annotators")]
    assert counts == [6, 10, 10, 5]


def test_the_known_answer_of_balanced_weights_comes_out(files):
    (found,) = run(*files(), *RAW, "--balance", "overall=0.15")
    assert (found["estimator"], found["balance"], found["person_share"]) == ("balanced", 0.15, 0.08)
    assert (found["estimate"], found["centre"]) == pytest.approx((0.3628589, 0.3043024), abs=5e-8)
    assert (found["low"], found["high"]) == pytest.approx((-0.5291512, 1.1377559), abs=5e-8)
    assert (found["A_eff"], found["s3_factor"]) == pytest.approx((4.1669802, 0.9380228), abs=5e-8)
    assert found["pull"] is False
    parts = found["squared_error"]
    assert parts["item"] + parts["rest"] + parts["annotator"] == pytest.approx(
        found["std_error"] ** 2
    )


def test_constants_come_by_the_names_of_known_criteria_or_from_the_options(files):
    rows = [*judgments(), *judgments(criterion="redundancy"), *judgments(criterion="wit")]
    arguments = [*files(rows), "--scale", "-1", "1"]
    usual = [(one["balance"], one["person_share"]) for one in run(*arguments)]
    assert usual == [(0.16, 0.08), (0.07, 0.06), (0.15, 0.08)]
    given = ["--balance", "wit=0", "overall=1", "--person-share", "wit=0.3"]
    found = [(one["balance"], one["person_share"]) for one in run(*arguments, *given)]
    assert found == [(1.0, 0.08), (0.07, 0.06), (0.0, 0.3)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--balance", "overall=-1"], "A balance is 0 or more; got -1.0."),
        (["--balance", "overall=nan"], "A balance is 0 or more; got nan."),
        (["--balance", "overall=1e300"], "A balance is at most 1,000,000; got 1e+300."),
        (["--balance", "overall=inf"], "A balance is at most 1,000,000; got inf."),
        (["--person-share", "overall=2"], "A person share is from 0 to 1; got 2.0."),
        (["--balance", "0.15"], "CRITERION=NUMBER"),
        (["--balance", "overall=much"], "not a number"),
    ],
)
def test_impossible_constants_are_refused(files, given, words):
    with pytest.raises(CommandError, match=re.escape(words)):
        call_command("estimate", *files(), *given, stdout=StringIO())


def test_the_share_of_outputs_judged_narrows_the_interval(files):
    (found,) = run(*files(), *RAW, "--estimator", "regression")
    # (1 − .6)·V_item + MSW'·h/N + V_person, by hand.
    squares, h = 2 / 3 + 1 / 2 + 1 / 2, (1 / 3 + 1 + 1 / 2 + 1 + 1 + 1 / 2) / 6
    expected = 0.4 * 0.0562931 + (squares + 1) / 4.5 * h / 10 + 0.0139718
    assert found["std_error"] == pytest.approx(expected**0.5, abs=1e-6)
    assert found["variance"]["one_way_annotator"] == pytest.approx(squares / 4)


def test_without_a_number_of_outputs_nothing_is_corrected_for_the_share_judged(files):
    (balanced,) = run(*files(m=[]))
    assert (balanced["estimator"], balanced["finite_population"]) == ("balanced", False)
    (found,) = run(*files(m=[]), "--estimator", "mean")
    assert (found["estimator"], found["n_population"], found["rho"]) == ("mean", None, None)
    assert found["estimate"] == pytest.approx((2 / 3 + 0 - 0.5 + 1 + 1 - 0.5) / 6)
    assert "not known" in found["notices"][0]
    (plain,) = run(*files(m=[]), "--estimator", "mean", "--items", "6", "--no-finite-population")
    assert [found[key] for key in ("low", "high")] == [plain[key] for key in ("low", "high")]
    assert "as was asked" in plain["notices"][0]


def test_the_number_of_outputs_corrects_for_the_share_judged(files):
    (unknown,) = run(*files(m=[]), "--estimator", "mean")
    (census,) = run(*files(m=[]), "--estimator", "mean", "--items", "6")
    (listed,) = run(*files(), "--estimator", "mean")
    (given,) = run(*files(m=[]), "--estimator", "mean", "--items", "10")
    assert census["std_error"] < given["std_error"] < unknown["std_error"]
    assert (given["n_population"], given["finite_population"]) == (10, True)
    for key in ("estimate", "low", "high", "std_error", "notices"):
        assert given[key] == listed[key], key
    assert "corrected for the share" in given["notices"][0]
    out = StringIO()
    call_command("estimate", *files(m=[]), stdout=out)
    assert "--items N" in out.getvalue()
    assert " of 6 " not in out.getvalue()
    few = refused(*files(m=[]), "--items", "5")
    assert "--items says 5; there are judgments of 6 of alpha" in few
    other = refused(*files(), "--items", "11")
    assert "--items says 11; the metrics file lists 10 of alpha" in other
    assert "tuned beforehand" in refused(*files(m=[]), "--interval", "sequence")


def with_groups(head: str, rows: list[str], groups: dict[str, str]) -> str:
    told = [f"{row},{groups.get(row.split(',')[1], '')}" for row in rows]
    return "\n".join([f"{head},group", *told])


def test_items_of_a_group_count_together(files, tmp_path):
    asked = [*files(), "--estimator", "mean"]
    (plain,) = run(*asked)
    own = {item: f"g{item}" for item in METRIC}
    pairs = own | dict.fromkeys("ab", "one") | dict.fromkeys("cd", "two") | {"j": ""}
    j = "system,item,annotator,criterion,score", judgments()
    m = "system,item,metric,value", metrics()
    for groups, counted in ((own, None), (pairs, [4, 8])):
        (tmp_path / "J.csv").write_text(with_groups(*j, groups))
        (in_judgments,) = run("--judgments", str(tmp_path / "J.csv"), "--estimator", "mean")
        (tmp_path / "J.csv").write_text("\n".join([j[0], *j[1]]))
        (tmp_path / "M.csv").write_text(with_groups(*m, groups))
        (found,) = run(*asked)
        assert found["groups"] == counted
        assert found["estimate"] == plain["estimate"] == in_judgments["estimate"]
        assert (found["std_error"] == plain["std_error"]) == (counted is None)
        assert in_judgments["groups"] == (counted and [4, 4])
    (tmp_path / "J.csv").write_text(with_groups(*j, pairs))
    other = pairs | {"c": "three"}
    (tmp_path / "M.csv").write_text(with_groups(*m, other))
    assert "is in group two here, and in another one elsewhere" in refused(*asked)
    few = refused("--judgments", str(tmp_path / "J.csv"), "--items", "10")
    assert "how many groups there are" in few


def test_the_estimator_mean_asks_for_no_metric(files):
    two = [*metrics(), *metrics(name="h")]
    (found,) = run(*files(m=two), "--estimator", "mean")
    assert (found["n_population"], found["rho"]) == (10, None)


def test_every_system_and_criterion_has_its_own_entry(files):
    rows = [*judgments(), *judgments("beta"), *judgments("beta", "fluency")]
    arguments = files(rows, [*metrics(), *metrics("beta")])
    found = run(*arguments)
    assert [(f["system"], f["criterion"]) for f in found] == [
        ("alpha", "overall"),
        ("beta", "overall"),
        ("beta", "fluency"),
    ]
    assert found[0]["estimate"] == found[1]["estimate"]
    some = run(*arguments, "--system", "beta", "--criterion", "fluency")
    assert [(f["system"], f["criterion"]) for f in some] == [("beta", "fluency")]


def test_what_cannot_be_known_is_null_and_said(files):
    one = [f"alpha,{item},ann,overall,1" for item in "abc"]
    (found,) = run(*files(one))
    assert (found["estimate"], found["low"], found["df"], found["gamma"]) == (1.0, None, None, None)
    assert [found["variance"][key] for key in VARIANCE] == [None] * 5 + [0.0]
    assert any("Too few items or annotators" in notice for notice in found["notices"])


def test_a_scale_is_taken_from_known_criteria_or_from_the_options(files):
    rating = judgments(criterion="rating")
    assert "scale of 'rating' is not known" in refused(*files(rating))
    same = ["--balance", "rating=0.16", "--scale", "-1", "1"]
    assert run(*files(rating), *same)[0]["low"] == run(*files())[0]["low"]
    above = [*judgments(criterion="edit")[:2], "alpha,c,z,edit,3.5"]
    assert run(*files(above))[0]["n_judgments"] == 3
    assert run(*files([*judgments(), "alpha,c,z,overall,3"]), "--unbounded")[0]["n_items"] == 6


REFUSED = [
    (["alpha,a,p,overall,1"], None, [], ["J.csv, line 2", "a single judgment of alpha on overall"]),
    (
        [*judgments(), "alpha,b,z,overall,2"],
        None,
        [],
        ["J.csv, line 12", "2 on overall", "-1 to 1"],
    ),
    ([*judgments(), "alpha,b,z,overall,-2"], None, [], ["J.csv, line 12", "-2 on overall"]),
    ([*judgments(), "alpha,k,z,overall,1"], None, [], ["J.csv, line 12", "item k of alpha"]),
    ([*judgments(), "beta,a,z,overall,1", "beta,b,z,overall,1"], None, [], ["line 12", "of beta"]),
    ([*judgments(), "alpha,a,p,overall,1"], None, [], ["J.csv, line 12", "a second time"]),
    (None, [*metrics(), "alpha,k,h,1"], ["--metric", "g"], ["M.csv", "1 of 11", "item k"]),
    (None, [*metrics(), *metrics(name="h")], [], ["M.csv", "2 metrics (g, h)", "--metric"]),
    (None, None, ["--metric", "h"], ["M.csv", "no metric 'h'; there are g"]),
    (None, None, ["--system", "beta"], ["J.csv", "no system 'beta'; there are alpha"]),
    (None, None, ["--criterion", "wit"], ["J.csv", "no criterion 'wit'; there are overall"]),
    (None, None, ["--level", "95"], ["confidence level lies between 0 and 1"]),
    (None, None, ["--scale", "1", "0"], ["from a lower to a higher"]),
    (None, [], ["--estimator", "regression"], ["takes one metric", "--metrics FILE"]),
    (None, [], ["--metric", "g"], ["--metrics FILE"]),
    (None, ["alpha,a,g,nan"], [], ["M.csv, line 2", "'nan'"]),
    (None, ["alpha,a,g,1", "alpha,a,g,1"], [], ["M.csv, line 3", "second time"]),
]


@pytest.mark.parametrize(("j", "m", "options", "words"), REFUSED)
def test_bad_input_is_refused_in_one_line(files, j, m, options, words):
    message = refused(*files(j, m), *options)
    assert all(word in message for word in words), message


def test_the_table_says_why_an_estimate_is_not_the_middle(files):
    def told(*arguments: str) -> bool:
        out = StringIO()
        call_command("estimate", *files(), *arguments, stdout=out)
        return "centred nearer to the middle of the scale" in out.getvalue()

    assert told()
    assert not told("--estimator", "ppi")  # centred at its estimate
    assert not told("--interval", "bootstrap", "--estimator", "regression")  # percentiles


def test_the_table_reads(files):
    out = StringIO()
    rows = [*judgments(), *judgments("beta")]
    call_command("estimate", *files(rows, [*metrics(), *metrics("beta")]), *RAW, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].split()[:3] == ["system", "criterion", "estimate"]
    assert lines[1].startswith("alpha   overall       0.363  [")
    assert "6 of 10" in lines[1]
    assert "not simultaneous" in out.getvalue()
    assert max(map(len, lines)) < 160


def with_outlier(rows: list[str], value: float) -> list[str]:
    """The metrics with another value for an output that nobody judged."""
    return [f"alpha,110,g,{value}" if row.startswith("alpha,110,g,") else row for row in rows]


def test_an_outlier_moves_raw_estimates_alone_and_what_is_off_the_scale_is_told(files, drawn):
    rows, scores = drawn
    wild = files(rows, with_outlier(scores, 20_000))
    one = [*wild, "--metric", "g", "--system", "alpha"]
    (raw,), (ranked,) = run(*one, *RAW), run(*one)
    assert raw["off_scale"]
    assert abs(raw["estimate"]) > 2
    assert not ranked["off_scale"]
    out = StringIO()
    call_command("estimate", *one, *RAW, stdout=out)
    assert "lies off the scale, so it is wrong" in out.getvalue()
    assert "[−1.000, " not in out.getvalue()  # not cut to what looks exact
    assert "Metrics enter with their own values" in out.getvalue()
    (mild,) = run(*files(rows, with_outlier(scores, 9)), "--metric", "g", "--system", "alpha")
    assert mild == ranked  # 9 is the largest value, too


def test_algorithm_1_takes_the_values(files):
    (found,) = run(*files(), "--estimator", "algorithm_1")
    assert found["metric_transform"] == "raw"
    assert run(*files())[0]["metric_transform"] == "normal_scores"
    assert run(*files(m=[]))[0]["metric_transform"] is None


@pytest.fixture(scope="module")
def drawn():
    """Two systems of 120 outputs, 90 judged twice by 15 people; beta is worse by about 0.5."""
    rng = np.random.default_rng(3)
    rows, scores = [], []
    for shift, system in ((0, "alpha"), (-0.5, "beta")):
        quality = rng.normal(size=120)
        for item in range(120):
            scores += [f"{system},{item},g,{quality[item] + rng.normal():.6f}"]
            scores += [f"{system},{item},h,{quality[item] - rng.normal():.6f}"]
        for item in range(90):
            for who in rng.choice(15, 2, replace=False):
                score = np.clip(np.round(quality[item] + shift + rng.normal()), -1, 1)
                rows.append(f"{system},{item},p{who},overall,{score:g}")
    return rows, scores


def test_several_metrics_are_combined_unless_something_else_is_asked(files, drawn):
    named = run(*files(*drawn), "--metric", "g", "h")
    assert {entry["estimator"] for entry in named} == {"balanced"}
    assert all(entry["ridge"]["penalty"] > 0 for entry in named)
    iid = run(*files(*drawn), "--metric", "g", "--interval", "iid")
    assert {entry["estimator"] for entry in iid} == {"regression"}
    auto = run(*files(*drawn), "--metric", "auto")
    assert auto == named
    message = refused(*files(*drawn), "--metric", "auto", "--estimator", "ppi")
    assert "ppi takes one metric; 2 are named" in message


def test_bootstraps_are_seeded_and_say_what_they_are(files, drawn):
    arguments = [*files(*drawn), "--metric", "g", "--system", "alpha", "--interval"]
    one, same, other = (run(*arguments, "bootstrap", "--seed", seed)[0] for seed in "112")
    assert one == same
    assert one["low"] != other["low"]
    assert one["df"] is None
    assert one["std_error"] == pytest.approx((one["high"] - one["low"]) / 3.92, rel=0.1)
    assert any("comparison only" in notice for notice in one["notices"])
    (pigeonhole,) = run(*arguments, "pigeonhole")
    assert pigeonhole["std_error"] > one["std_error"]
    message = refused(*arguments, "bootstrap", "--estimator", "multi")
    assert message == "The bootstrap has no estimator multi."


def test_a_panel_is_known_better_and_a_sequence_is_wider(files, drawn):
    asked = [*files(*drawn), "--metric", "g", "--system", "alpha"]
    usual, panel, sequence = (
        run(*asked, *more)[0] for more in ((), ("--estimand", "panel"), ("--interval", "sequence"))
    )
    assert [one["estimand"] for one in (usual, panel)] == ["population", "panel"]
    assert usual["estimate"] == panel["estimate"] == sequence["estimate"]
    widths = [one["high"] - one["low"] for one in (panel, usual, sequence)]
    assert widths == sorted(set(widths))
    assert sequence["df"] is None


def test_two_systems_are_compared_item_by_item(files, drawn):
    found = run(
        *files(*drawn),
        *("--metric", "g", "--compare", "alpha", "beta", "--person-share", "overall=0"),
    )
    assert [entry["system"] for entry in found] == ["alpha", "beta", "alpha - beta"]
    assert list(found[2]) == KEYS
    by_hand = found[0]["estimate"] - found[1]["estimate"]
    assert found[2]["estimate"] == pytest.approx(by_hand, abs=0.1)
    assert 0 < found[2]["low"] < found[2]["estimate"] < found[2]["high"] < 1
    assert (found[2]["n_items"], found[2]["n_judgments"]) == (90, 360)
    back = run(*files(*drawn), "--metric", "g", "--compare", "beta", "alpha")
    assert back[2]["estimate"] == pytest.approx(-found[2]["estimate"])


def test_comparing_without_metrics_takes_what_both_were_judged_on(files, drawn):
    rows = [row for row in drawn[0] if not row.startswith(("alpha,1,", "beta,2,"))]
    (_, _, found) = run(*files(rows, []), "--compare", "alpha", "beta")
    assert (found["n_items"], found["n_population"]) == (88, None)
    assert any("not known" in notice for notice in found["notices"])
    (_, _, more) = run(*files(rows, []), "--compare", "alpha", "beta", "--items", "120")
    assert (more["n_items"], more["n_population"]) == (88, 120)


def test_comparisons_that_cannot_be_are_refused(files, drawn):
    both = files(*drawn)
    assert "two_way interval only" in refused(
        *both, "--metric", "g", "--compare", "alpha", "beta", "--interval", "bootstrap"
    )
    assert "'ppi' is not one of" in refused(
        *both, "--metric", "g", "--compare", "alpha", "beta", "--estimator", "ppi"
    )
    assert "no system 'gamma'" in refused(*both, "--metric", "g", "--compare", "alpha", "gamma")
    fewer = [row for row in drawn[1] if not row.startswith("beta,119,")]
    assert "item 119 is missing for beta" in refused(
        *files(drawn[0], fewer), "--metric", "g", "--compare", "alpha", "beta"
    )


def ranked(n: int = 80) -> list[str]:
    """Judgments of three systems by 20 people: one is better, two are alike."""
    rng = random.Random(5)
    quality = {"alpha": 0.8, "beta": -0.3, "gamma": -0.3}

    def said(mean: float) -> int:
        return max(-1, min(1, round(mean + rng.gauss(0, 0.5))))

    return [
        f"{system},{item},p{rng.randrange(20)},overall,{said(mean)}"
        for item in range(n)
        for system, mean in quality.items()
    ]


def test_systems_are_ranked_with_ties(files):
    asked = (*files(ranked(), []), "--ranking", "0.4", "--planned-items", "40")
    *_, found = run(*asked)
    assert found["ranking"] == [
        {"system": "alpha", "best": 1, "worst": 1},
        {"system": "beta", "best": 2, "worst": 3},
        {"system": "gamma", "best": 2, "worst": 3},
    ]
    assert [one["outcome"] for one in found["pairs"]] == ["first", "first", "close"]
    assert (found["margin"], found["planned_items"], found["stop"]) == (0.4, 40, True)
    out = StringIO()
    call_command("estimate", *asked, stdout=out)
    said = "Ranking by overall, margin 0.4, highest first: 1 alpha, 2–3 beta, 2–3 gamma."
    assert said in out.getvalue()
    assert "Every pair is decided." in out.getvalue()


def test_rankings_that_cannot_be_are_refused(files):
    assert "tuned beforehand" in refused(*files(ranked(), []), "--ranking", "1")
    asked = (*files(ranked(), []), "--items", "80")
    one = refused(*asked, "--ranking", "0.4", "--system", "alpha")
    assert "at least two systems" in one
    assert "margin is a number from 0 up" in refused(*asked, "--ranking", "-1")
    assert "Planned items" in refused(*asked, "--ranking", "1", "--planned-items", "-3")


def test_the_table_shows_no_score_that_cannot_be(files):
    scores = {"1": 0.1, "2": 0.9, "3": 1.9, "4": 0.0}
    people = {"1": "p", "2": "p", "3": "q", "4": "q"}
    judged = [f"a,{item},{people[item]},edit,{score}" for item, score in scores.items()]
    asked = files(judged, [])
    (found,) = run(*asked)
    assert found["low"] < 0  # as data, the interval is whole
    out = StringIO()
    call_command("estimate", *asked, stdout=out)
    assert "[0.000, 2.000]" in out.getvalue()
    assert "Fewer than 10 judged items" in out.getvalue()
