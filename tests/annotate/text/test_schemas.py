"""What the declared shapes take, and the sentences about what they refuse."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

import annotate.instruments.registry
import annotate.screening  # noqa: F401  both declare shapes
from annotate.common.schemas import (
    MOST_PROBLEMS,
    Declared,
    Fault,
    Identifier,
    Indented,
    OptionalText,
    Problem,
    Refused,
    Several,
    Slug,
    Text,
    read,
)


class Leaf(Declared):
    name: Annotated[Text, Field(max_length=5)]
    size: int = Field(default=1, ge=-100, le=10_000)
    colour: Literal["red", "blue"] = "red"

    def faults(self, context: Any) -> Iterator[Fault]:
        if self.name == context:
            yield ("name",), "Is taken."


class Tree(Declared):
    leaves: Several[Leaf] = Field(min_length=1, max_length=3)
    key: Annotated[Identifier, Field(max_length=40)] = "key"
    slug: Annotated[Slug, Field(max_length=40)] = "slug"
    code: Annotated[Indented, Field(max_length=40)] = "code"
    note: Annotated[OptionalText, Field(max_length=40)] = ""
    share: float = Field(default=0.5, ge=0, le=1e9)
    right: bool = True
    first: Leaf = Leaf(name="a")


def problems_of(value: Any) -> tuple[Problem, ...]:
    try:
        read(Tree, value)
    except Refused as refused:
        return refused.problems
    return ()


def problems(value: Any, context: Any = None) -> dict[str, str]:
    with pytest.raises(Refused) as caught:
        read(Tree, value, context=context)
    return caught.value.errors("")


LEAVES = [{"name": "a"}]


@pytest.mark.parametrize(
    ("value", "where", "says"),
    [
        ([], "", "Must be an object {…}."),
        ({}, "leaves", "Missing."),
        ({"leaves": None}, "leaves", "Missing."),
        ({"leaves": "a"}, "leaves", "Must be a list."),
        ({"leaves": {"0": {"name": "a"}}}, "leaves", "Must be a list."),
        ({"leaves": []}, "leaves", "Has 0 members; 1 to 3 are possible."),
        ({"leaves": LEAVES * 9}, "leaves", "Has 9 members; 1 to 3 are possible."),
        ({"leaves": ["a"]}, "leaves[0]", "Must be an object {…}."),
        ({"leaves": [{}]}, "leaves[0].name", "Missing."),
        ({"leaves": [{"name": 1}]}, "leaves[0].name", "Must be text."),
        ({"leaves": [{"name": ""}]}, "leaves[0].name", "Is empty."),
        ({"leaves": [{"name": " \n"}]}, "leaves[0].name", "Is empty."),
        (
            {"leaves": [{"name": "x" * 1234}]},
            "leaves[0].name",
            "Has 1,234 characters; at most 5 fit.",
        ),
        ({"note": "a\0"}, "note", "Holds a character that no text has (NUL, or half a pair)."),
        ({"note": "\ud800"}, "note", "Holds a character that no text has (NUL, or half a pair)."),
        ({"note": []}, "note", "Must be text."),
        (
            {"leaves": [{"name": "a", "size": 10**500}]},
            "leaves[0].size",
            "Must be a whole number from −100 to 10,000.",
        ),
        (
            {"leaves": [{"name": "a", "size": True}]},
            "leaves[0].size",
            "Must be a whole number from −100 to 10,000.",
        ),
        (
            {"leaves": [{"name": "a", "colour": "bleu"}]},
            "leaves[0].colour",
            "“bleu” is not “red” or “blue”. Did you mean “blue”?",
        ),
        (
            {"leaves": [{"name": "a", "colour": ["red"]}]},
            "leaves[0].colour",
            "“['red']” is not “red” or “blue”.",
        ),
        ({"share": float("nan")}, "share", "Must be a number from 0 to 1,000,000,000."),
        ({"share": "1"}, "share", "Must be a number from 0 to 1,000,000,000."),
        ({"share": 10**400}, "share", "Must be a number from 0 to 1,000,000,000."),
        ({"right": "yes"}, "right", "Must be true or false."),
        ({"slug": "A b"}, "slug", "Takes small letters, digits, hyphens and underscores."),
        (
            {"key": "2 Big Keys"},
            "key",
            "Takes small letters a–z, digits and _, and begins with a letter, such as “big_keys”.",
        ),
        ({"leafs": []}, "leafs", "Unknown field. Did you mean “leaves”?"),
        ({"zzz": None}, "zzz", "Unknown field."),
        ({"x" * 999: 1}, "x" * 80, "Unknown field."),
    ],
)
def test_each_fault_has_its_path_and_a_sentence(value, where, says):
    whole = {"leaves": LEAVES, **value} if value and value.keys() != {"leaves"} else value
    assert problems(whole) == {where: says}


def test_faults_of_fields_are_reported_beside_what_does_not_fit_together():
    leaves = [{"name": "a", "size": 0}, {"name": "b", "size": "0"}]
    found = problems({"leaves": leaves, "right": 1, "zzz": 1}, context="a")
    assert found == {
        "leaves[0].name": "Is taken.",
        "leaves[1].size": "Must be a whole number from −100 to 10,000.",
        "right": "Must be true or false.",
        "zzz": "Unknown field.",
    }


def test_null_is_the_same_as_absent_and_white_space_follows_the_kind_of_text():
    tree = read(
        Tree, {"leaves": [{"name": " a ", "size": None}], "code": "\n\n  if x:\n", "note": " b "}
    )
    assert (tree.leaves[0].name, tree.leaves[0].size) == ("a", 1)
    assert (tree.code, tree.note) == ("  if x:", "b")


@pytest.mark.slow
def test_a_flood_of_faults_is_cut_off():
    assert len(problems({str(n): n for n in range(100_000)})) == MOST_PROBLEMS
    assert problems({"leaves": [1] * 100_000}).keys() == {f"leaves[{n}]" for n in range(4)}


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*Tree.model_fields, *Leaf.model_fields, "\ud800x"]), inner
        )
    ),
)


@pytest.mark.slow
@given(ANY)
def test_any_value_is_read_or_refused_with_sentences_that_can_be_stored(value):
    for problem in problems_of(value):
        str(problem).encode()
        assert problem.message.endswith((".", "?"))


def declared(shape: type[Declared]) -> Iterator[type[Declared]]:
    for inner in shape.__subclasses__():
        if inner.__module__.startswith("annotate."):
            yield inner
        yield from declared(inner)


def unlimited(hint: Any, limits: list[Any]) -> bool:
    """Whether a text or a list in this declaration may be as long as it likes."""
    if get_origin(hint) is Annotated:
        inner, *metadata = get_args(hint)
        given = [one for found in metadata for one in getattr(found, "metadata", [found])]
        return unlimited(inner, [*limits, *given])
    if (hint is str or get_origin(hint) in (tuple, dict)) and not any(
        getattr(limit, "max_length", None) for limit in limits
    ):
        return True
    members = () if get_origin(hint) is Literal else get_args(hint)
    own = members[1:] if get_origin(hint) is dict else members
    return any(unlimited(member, []) for member in own if member is not ...)


def test_each_text_and_list_of_a_shape_has_a_limit():
    shapes = set(declared(Declared))
    assert {"Tutorial", "Choice", "Paragraph", "CrowdThresholds"} <= {
        one.__name__ for one in shapes
    }
    assert [
        f"{shape.__name__}.{name}"
        for shape in shapes
        for name, hint in get_type_hints(shape, include_extras=True).items()
        if name in shape.model_fields and unlimited(hint, shape.model_fields[name].metadata)
    ] == []
