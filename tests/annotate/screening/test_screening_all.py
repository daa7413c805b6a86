"""What holds of every screen, and the settings."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotate.screening import SCREENS, Settings, SettingsError, screen_all
from annotate.screening.agreement import AgreementThresholds
from annotate.screening.patterns import Patterns
from annotate.screening.speed import Timing
from tests.annotate.screening.columns import (
    SMALL,
    changed,
    columns,
    crowd,
    flagged,
    reordered,
    rescored,
)


def spoilt():
    """A crowd with one spammer for every screen of language quality."""
    found = crowd(11, people=24, each=30)
    rng = np.random.default_rng(1)
    found = changed(found, 0, seconds=2.0)
    found = rescored(found, 1, -found.answers[found.annotator == 1])
    found = changed(found, 2, edit_distance=2.0)
    found = rescored(found, 3, [1, 1, 1])
    return rescored(found, 5, rng.integers(-1, 2, ((found.annotator == 5).sum(), 3)))


EXPECTED = {
    ("too_fast", 0),
    ("low_agreement", 1),
    ("short_edits", 2),
    ("no_variation", 3),
    ("random_answers", 5),
}


def test_every_spammer_is_found_by_the_screen_that_is_for_it():
    assert flagged(spoilt()) >= EXPECTED


def test_nobody_careful_is_flagged():
    assert {who for _, who in flagged(spoilt())} == {0, 1, 2, 3, 5}
    assert not flagged(crowd(12, people=24, each=30))


def plain(verdicts):
    return {(v.screen, v.annotator): v for v in verdicts}


def test_the_order_of_rows_changes_nothing():
    found = spoilt()
    rows = np.random.default_rng(2).permutation(len(found.annotator))
    before, after = (plain(screen_all(c, SMALL)) for c in (found, reordered(found, rows)))
    assert before.keys() == after.keys()
    for key, verdict in before.items():
        assert after[key].flagged == verdict.flagged
        assert after[key].n == verdict.n
        assert after[key].value == pytest.approx(verdict.value, nan_ok=True)


def test_labels_are_names_only():
    found = spoilt()
    names = np.random.default_rng(3).permutation(1000)[:24]
    outputs = np.random.default_rng(4).permutation(10_000)
    other = replace(found, annotator=names[found.annotator], output=outputs[found.output])
    expected = {(screen, names[who]) for screen, who in flagged(found)}
    assert flagged(other) == expected


def test_an_annotator_alone_is_never_flagged():
    found = spoilt()
    for who in range(6):
        rows = np.flatnonzero(found.annotator == who)
        alone = screen_all(reordered(found, rows), SMALL)
        # Nobody else judged the same outputs, and nothing is highlighted.
        assert {v.screen for v in alone} == set(SCREENS) - {"low_agreement", "thin_evidence"}
        assert not any(v.flagged for v in alone)


@pytest.mark.parametrize("size", [0, 1, 7, 40])
def test_a_young_campaign_accuses_nobody(size):
    found = spoilt()
    young = reordered(found, np.argsort(found.order)[:size])
    answers = screen_all(young)
    said = Counter(v.screen for v in answers)
    assert set(said.values()) <= {young.people.size}
    assert bool(said) == (size > 0)
    assert not any(v.flagged for v in answers)


def test_minimum_samples_are_kept():
    strict = Settings.from_dict({name: {"minimum": 1000} for name in Settings().groups})
    assert not any(v.enough for v in screen_all(spoilt(), strict))


@pytest.mark.parametrize("needed", [{"people": 24}, {"judgments": 1000}])
def test_whoever_has_too_small_a_crowd_beside_them_is_not_compared(needed):
    settings = Settings.from_dict({"crowd": needed})
    answers = screen_all(spoilt(), settings)
    assert {v.screen for v in answers if v.enough} == {"short_edits"}


def test_columns_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="one row per judgment"):
        columns([0, 1, 2], seconds=np.ones(2))
    with pytest.raises(ValueError, match="come together"):
        columns([0, 1], plausible=np.ones(2))


def test_settings_survive_json():
    flags = {"off": ["too_fast"], "list_only": ["low_agreement"], "listed": 0.01}
    chosen = Settings.from_dict(
        {"timing": {"minimum": 9}, "patterns": {"odds": 1000}, "flags": flags}
    )
    assert (chosen.of(Timing).minimum, chosen.of(Patterns).odds) == (9, 1000)
    assert chosen.of(AgreementThresholds) == AgreementThresholds()
    assert (chosen.flags.off, chosen.flags.list_only) == (("too_fast",), ("low_agreement",))
    assert Settings.from_dict(json.loads(json.dumps(chosen.to_dict()))) == chosen


@pytest.mark.parametrize(
    ("given", "where", "says"),
    [
        ({"speed": {}}, "speed", "Is not one of the groups crowd, flags, timing, "),
        ({"timming": {}}, "timming", "Did you mean “timing”?"),
        ({"timing": 3}, "timing", "Must be an object"),
        ({"timing": {"speed": 1}}, "timing.speed", "Unknown field."),
        ({"timing": {"minimun": 5}}, "timing.minimun", "Did you mean “minimum”?"),
        ({"timing": {"minimum": 4}}, "timing.minimum", "a whole number from 5 to 1,000."),
        ({"timing": {"minimum": 5.5}}, "timing.minimum", "a whole number from 5 to 1,000."),
        ({"timing": {"minimum": True}}, "timing.minimum", "a whole number"),
        ({"agreement": {"minimum": 7}}, "agreement.minimum", "a whole number from 8 to 1,000."),
        ({"edits": {"level": 1.0}}, "edits.level", "Must be a number from 0.6 to 0.99999."),
        ({"edits": {"share": float("nan")}}, "edits.share", "a number from 0.1 to 0.99."),
        ({"edits": {"share": "0.5"}}, "edits.share", "a number from 0.1 to 0.99."),
        ({"edits": {"share": 10**400}}, "edits.share", "a number from 0.1 to 0.99."),
        (
            {"variation": {"p_value": 0.06}},
            "variation.p_value",
            "a number from 0.000000001 to 0.05.",
        ),
        ({"flags": {"off": ["too_fasst"]}}, "flags.off[0]", "Did you mean “too_fast”?"),
        ({"flags": {"list_only": ["x"]}}, "flags.list_only[0]", "one of the screens too_fast, "),
        ({"flags": {"paused": 0.02}}, "flags.paused", "Is at most `listed`"),
        ({"flags": {"recent": 4}}, "flags.recent", "a whole number from 5 to 100."),
        ({"patterns": {"odds": 1}}, "patterns.odds", "a number from 2 to 1,000,000,000."),
        ({"patterns": {"minimum": 4}}, "patterns.minimum", "a whole number"),
    ],
)
def test_settings_that_cannot_be_right_are_refused_with_the_reason(given, where, says):
    with pytest.raises(SettingsError) as caught:
        Settings.from_dict(given)
    (problem,) = caught.value.problems
    assert problem.path == where
    assert says in problem.message


def test_every_wrong_setting_is_reported_at_once():
    with pytest.raises(SettingsError) as caught:
        Settings.from_dict({"timing": {"minimum": 4, "speed": 1}, "crowd": {"people": 1}, "x": 1})
    assert set(caught.value.errors("")) == {"timing.minimum", "timing.speed", "crowd.people", "x"}
