"""Definitions as JSON: what is taken, and where each problem is told."""

import copy
import json
from typing import Any

import pytest

from annotate.common.schemas import Refused, parse
from annotate.instruments.language_quality.instrument import DEFINITION as LANGUAGE_QUALITY
from annotate.instruments.rating.instrument import as_data, read_definition
from tests.annotate.own import HELPFUL, helpful

GONE = object()


def problems(value: Any) -> dict[str, str]:
    with pytest.raises(Refused) as caught:
        read_definition(value)
    return {problem.path: problem.message for problem in caught.value.problems}


def changed(path: list[Any], value: Any) -> Any:
    whole = copy.deepcopy(HELPFUL)
    at: Any = whole
    for step in path[:-1]:
        at = at[step]
    if value is GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return whole


def test_language_quality_is_a_definition_like_any_other():
    again = read_definition(as_data(LANGUAGE_QUALITY))
    assert [c.name for c in again.scored] == ["fluency", "redundancy", "overall", "edit"]
    assert [[(o.value, o.requires) for o in c.levels] for c in again.criteria] == [
        [(o.value, o.requires) for o in c.levels] for c in LANGUAGE_QUALITY.criteria
    ]
    assert as_data(again) == as_data(LANGUAGE_QUALITY)
    assert json.loads(json.dumps(as_data(again))) == as_data(again)


def test_the_scale_of_a_criterion_reaches_from_its_lowest_to_its_highest_level():
    first, second = read_definition(HELPFUL).criteria
    assert (first.low, first.high, first.higher_is_better) == (-2, 2, True)
    assert (second.low, second.high, second.higher_is_better) == (0, 1, False)


def test_what_a_criterion_requires_all_of_its_levels_require():
    whole = changed(["criteria", 1, "requires"], ["evidence"])
    whole["criteria"][1]["levels"][1]["requires"] = ["edit"]
    levels = read_definition(whole).criteria[1].levels
    assert [level.requires for level in levels] == [("evidence",), ("edit", "evidence")]


LEVEL = ["criteria", 1, "levels", 0]


@pytest.mark.parametrize(
    ("path", "value", "where", "says"),
    [
        (["key"], "Help Fulness", "key", "“help_fulness”"),
        (["key"], "k" * 41, "key", "at most 40"),
        (["label"], "  ", "label", "empty"),
        (["label"], "a\x00b", "label", "NUL"),
        (["task"], "x" * 201, "task", "201 characters; at most 200"),
        (["language"], "EN!", "language", "such as en"),
        (["steps"], ["x"] * 9, "steps", "Has 9 members"),
        (["instructions", 0], {}, "instructions[0]", "Is empty"),
        (
            ["instructions", 0, "examples", 0, "txt"],
            "",
            "instructions[0].examples[0].txt",
            "Did you mean “text”?",
        ),
        (["criteria"], [], "criteria", "1 to 8"),
        (["criteria", 1, "name"], "helpful", "criteria[1].name", "same name as criteria[0]."),
        (["criteria", 1, "name"], "edit", "criteria[1].name", "means something else"),
        (["criteria", 1, "name"], "2nd", "criteria[1].name", "“nd”"),
        (["criteria", 1, "levls"], [], "criteria[1].levls", "Did you mean “levels”?"),
        (
            ["criteria", 1, "levels"],
            [HELPFUL["criteria"][0]["levels"][0]],
            "criteria[1].levels",
            "Has 1 member; 2 to 7",
        ),
        ([*LEVEL, "value"], 1, "criteria[1].levels[1].value", "same value as levels[0]."),
        ([*LEVEL, "value"], True, "criteria[1].levels[0].value", "whole number"),
        ([*LEVEL, "value"], 101, "criteria[1].levels[0].value", "from −100 to 100"),
        ([*LEVEL, "label"], "Something", "criteria[1].levels[1].label", "same label"),
        (
            [*LEVEL, "requires"],
            ["evidense"],
            "criteria[1].levels[0].requires[0]",
            "Did you mean “evidence”?",
        ),
        (["edit"], {"titel": "x"}, "edit.titel", "Did you mean “title”?"),
        (["example"], {"text": "a"}, "example.input", "Missing"),
    ],
)
def test_each_problem_is_told_at_its_path(path, value, where, says):
    found = problems(changed(path, value))
    assert list(found) == [where]
    assert says in found[where]


@pytest.mark.parametrize("value", [None, 3, "text", [], [HELPFUL]])
def test_what_is_no_object_is_told_once(value):
    assert list(problems(value)) == [""]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "line 1, column 2"),
        ('{"key": "a", "key": "b"}', "“key” stands twice"),
        ('{"value": NaN}', "NaN"),
        ("[" * 100_000, "far too deep"),
        ('{"a": "é"}'.encode("latin-1"), "Not UTF-8 at byte 8"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text, says):
    with pytest.raises(Refused) as caught:
        parse(text)
    assert says in str(caught.value)


def test_wording_of_ours_stays_translatable_and_wording_of_theirs_is_kept():
    whole = helpful(edit={"title": "Mend it"})
    whole["criteria"][0]["levels"][4]["requires"] = ["edit"]
    assert as_data(read_definition(whole))["edit"] == {"title": "Mend it"}
