"""What is said of a field that was filled in wrongly: never in a framework's own words."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import polib
import pytest
import rest_framework
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import override
from rest_framework import serializers

import annotate
import config
import estimation
from tests.annotate import messages

LOCALE = messages.ROOT / "annotate" / "locale"
ROOMS = (annotate, estimation, config)
HOLDS = re.compile(r"\.(forms|api|views|services\.accounts|login)\b")
BLANK = re.compile(r"%\(\w+\)[sd]|%[sd]|\{[^}]*\}")


def classes(kind: type) -> list[type]:
    """Every class of this kind in our modules: written there, or a framework's that they use."""
    found = {
        one
        for room in ROOMS
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
        if HOLDS.search(module.name)
        for one in vars(importlib.import_module(module.name)).values()
        if inspect.isclass(one) and issubclass(one, kind)
    }
    return sorted(found, key=lambda one: (one.__module__, one.__name__))


def of_forms() -> Iterator[tuple[str, Any]]:
    for one in classes(forms.BaseForm):
        for sentence in getattr(one, "error_messages", {}).values():
            yield one.__name__, sentence
        for name, field in getattr(one, "base_fields", {}).items():
            yield from ((f"{one.__name__}.{name}", said) for said in sentences(field))


def of_serializers() -> Iterator[tuple[str, Any]]:
    for one in classes(serializers.Serializer):
        if not one.__module__.startswith(tuple(room.__name__ for room in ROOMS)):
            continue
        if issubclass(one, serializers.ModelSerializer) and not hasattr(one, "Meta"):
            continue  # it is completed by others
        yield from ((one.__name__, said) for said in sentences(one()))
        for name, field in one().fields.items():
            for part in (field, getattr(field, "child", None)):
                if part is not None:
                    yield from ((f"{one.__name__}.{name}", said) for said in sentences(part))


def sentences(field: Any) -> Iterator[Any]:
    """What this field and its validators may say."""
    yield from field.error_messages.values()
    for validator in getattr(field, "validators", []):
        yield getattr(validator, "message", "")
        yield from getattr(validator, "messages", {}).values()


def texts(sentence: Any) -> Iterator[str]:
    """The sentence in the language of now, in the singular and the plural."""
    if hasattr(sentence, "_translate"):
        yield from (sentence._translate(n) for n in (1, 2))
    else:
        yield str(sentence)


@pytest.fixture(scope="module")
def frameworks() -> re.Pattern[str]:
    """Every sentence of Django and DRF, with anything in its blanks."""
    found: set[str] = set()
    words = re.compile(r"[^\W\d_]{3,}")
    for room in (django, rest_framework):
        for path in Path(room.__path__[0]).rglob("locale/en/LC_MESSAGES/django.po"):
            for entry in polib.pofile(str(path)):
                found |= {
                    text
                    for text in (entry.msgid, entry.msgid_plural)
                    if len(words.findall(BLANK.sub("", text))) > 1
                }
    assert "This field is required." in found
    assert len(found) > 400
    return re.compile("|".join(".*".join(map(re.escape, BLANK.split(one))) for one in found))


@pytest.mark.parametrize("every", [of_forms, of_serializers], ids=["forms", "serializers"])
def test_no_field_speaks_in_the_words_of_a_framework(
    every: Any, frameworks: re.Pattern[str]
) -> None:
    with override("en"):
        said = {(name, text) for name, sentence in every() for text in texts(sentence)}
    assert len(said) > 300
    assert {one for one in said if frameworks.fullmatch(one[1])} == set()


def test_the_same_in_german(frameworks: re.Pattern[str]) -> None:
    own = polib.pofile(str(LOCALE / "de" / "LC_MESSAGES" / "django.po"))
    ours = {text for e in own for text in (e.msgstr, *e.msgstr_plural.values())}
    theirs = polib.pofile(f"{django.__path__[0]}/conf/locale/de/LC_MESSAGES/django.po")
    known = {t for e in theirs for t in (e.msgstr, *e.msgstr_plural.values()) if " " in t} - ours
    with override("de"):
        said = {(n, text) for n, sentence in of_forms() for text in texts(sentence)}
    assert {one for one in said if one[1] in known} == set()


def test_the_limit_stands_in_the_sentence() -> None:
    class Places(forms.Form):
        n = forms.IntegerField(min_value=1, max_value=500)
        name = forms.CharField(max_length=3)

    class Given(serializers.Serializer[Any]):
        n = serializers.IntegerField(min_value=1, max_value=500)
        name = serializers.CharField(max_length=3)

    wrong = {"n": "501", "name": "abcd"}
    form, given = Places(wrong), Given(data=wrong)
    assert not given.is_valid()
    assert form.errors == {"n": ["At most 500."], "name": ["At most 3 characters, not 4."]}
    assert given.errors == {"n": ["At most 500."], "name": ["At most 3 characters."]}
    assert Places({"n": "0"}).errors == {"n": ["At least 1."], "name": ["This is missing."]}
    with override("de"):
        assert Places({"n": "501", "name": "a"}).errors == {"n": ["Höchstens 500."]}


def test_passwords_too() -> None:
    with pytest.raises(ValidationError) as refused:
        validate_password("1234")
    assert refused.value.messages == [
        "This password is too short: it needs at least 8 characters.",
        "This password is used by many people, so it is guessed quickly.",
        "This password has digits alone.",
    ]


@pytest.mark.slow
def test_what_the_server_reads_is_what_is_written() -> None:
    folder = LOCALE / "en" / "LC_MESSAGES"
    source, compiled = polib.pofile(folder / "django.po"), polib.mofile(folder / "django.mo")
    assert {(e.msgid, e.msgstr, str(e.msgstr_plural)) for e in source} == {
        (e.msgid, e.msgstr, str(e.msgstr_plural)) for e in compiled
    }
    named = {one for one in messages.in_sources() if one in {e.msgid for e in source}}
    assert named == {entry.msgid for entry in source}, "annotate/common/schemas.py"
