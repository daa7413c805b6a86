"""Grades answers of tutorials: levels, evidence, and improved texts by rules in words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments import base as instruments_base
from annotate.instruments import tutorials
from annotate.instruments.base import InvalidResponse
from annotate.instruments.tutorials import (
    Choice,
    Defect,
    Edit,
    Evidence,
    Example,
    Paragraph,
    Practice,
    Question,
    same_words,
)
from estimation.metrics import levenshtein

Span = tuple[int, int]

_END = re.compile(r"""[.!?…]+["”“’»)]*(?=\s+["“„«(]?[^\W_a-zäöü])|\n+""")
_ABBREVIATED = re.compile(r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Prof|No|Nr|ca|bzw|usw|vs|approx))\.$")
_DAY = re.compile(r"\b\d{1,2}\.$")
_MONTH = re.compile(r"\s+(?:Jan|Feb|März|Mar|Apr|Mai|Juni|Juli|Aug|Sep|Okt|Nov|Dez)")


def sentences(text: str) -> list[Span]:
    """Return where the sentences of a text are, as [start, end) in code points."""
    ends = [found.end() for found in _END.finditer(text) if not _goes_on(text, found.end())]
    starts = [0, *ends]
    return [
        one for one in zip(starts, [*ends, len(text)], strict=True) if text[slice(*one)].strip()
    ]


def _goes_on(text: str, at: int) -> bool:
    """Return whether the full stop belongs to an abbreviation or a date."""
    before = text[:at]
    return bool(_ABBREVIATED.search(before) or (_DAY.search(before) and _MONTH.match(text, at)))


def sentences_shown(text: str, values: Sequence[Span], marked: Sequence[Sequence[int]]) -> str:
    """Return how a highlight shows the values: good, none, or poor.

    It is good if it touches a value and stays within the sentences of the values: the value alone
    and the whole sentence both are. none: it touches no value. poor: it goes beyond.
    """
    if not any(_touch(one, value) for one in marked for value in values):
        return "none"
    own = [one for one in sentences(text) if any(_touch(one, value) for value in values)]
    others = [one for one in sentences(text) if one not in own]
    beyond = any(_words_in(text, one, other) for one in marked for other in others)
    return "poor" if beyond else "good"


def _touch(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _words_in(text: str, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two spans share letters or digits."""
    return bool(re.search(r"\w", text[max(one[0], other[0]) : max(0, min(one[1], other[1]))]))


# The rules for improved texts. Each can be said in words, and what none of them faults is right.
#
# The error is gone, every fact is still there, nothing is new, and most of the text is left. Words
# are compared as in `words`: a synonym in the place of a word is no fault, a word more is one.


LEAST_LEFT = 0.4  # of the words of a good improvement
MOST_LEFT = 1.5  # of the words of the text
LEAST_SMALL = 0.5  # of the share of small words in the text
LEAST_PAIRS = 0.2  # of the pairs of neighbouring words, from the text or a good improvement


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


SMALL = _set(
    """
    a an the this that these those it its it's he she they him her them his hers their theirs we
    our you your i my me us who whom whose which what when where while why how there here of in on
    at to from for by with about over into onto upon after before during until till since as
    because due owing so thus therefore hence and or but nor then than if though although is are
    was were be been being am has have had having do does did will would shall should can could
    may might must get gets got one ones some any all both each every other another more most very
    really quite now currently already still also too just only yet again soon recently well
    remain remains stay stays keep keeps among amongst along account via within around plus
    however meanwhile presently up out off down under such same own s take takes took taken taking
    place happen happens happened happening mean means meant meaning need needs needed make makes
    made making go goes went gone come comes came coming give gives gave given giving hold holds
    held holding put set part presence present attendance attending including include includes
    thanks last next upcoming forthcoming amid plan plans cause caused causes reason themselves
    itself himself herself together fully actually able even rather find finds found see seen use
    used say says said let lets work works working

    der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem er
    sie es ihn ihm ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines wir
    ihnen sich man wer was wann wo wie warum welche welcher welches und oder aber denn doch
    sondern dass weil da damit deshalb daher darum deswegen während wenn als ob obwohl so also von
    vom zu zum zur in im ins an am ans auf aufs bei beim mit nach aus über unter vor für um durch
    gegen ohne wegen aufgrund seit bis zwischen ist sind war waren sei bin wird werden wurde
    wurden worden hat haben hatte hatten habe kann können soll sollen muss müssen will wollen dort
    hier dann nun jetzt zurzeit derzeit gerade schon bereits bisher noch auch nur sehr wieder bald
    etwa ganz dabei darauf daran darüber davon dazu hin her mehr andere anderen weitere weiteren
    weiteres denen deren dessen jene jener jenes bleibt bleiben sowie samt neben ab pro je infolge
    sodass inzwischen mittlerweile momentan aktuell somit zudem außerdem ausserdem ebenfalls
    welchem welchen beiden uhr pm clock o'clock m p findet finden statt stattfindet stattfinden
    stattfand gibt geben gab macht machen geht gehen kommt kommen nimmt nehmen steht stehen liegt
    stellt anwesenheit beisein grund rahmen voller voll blickt kommenden kommende nächsten letzten
    vergangenen welch demnach dadurch dafür davor danach zuvor zugleich gleichzeitig selbst konnte
    könnte möchte darf dürfen lassen lässt braucht benötigt nötig erfolgt erfolgen zusammen
    gemeinsam einige viele jeden jedem hierfür eben ja voraussichtlich
    """
)
NEGATIVE = _set(
    """
    not no never nobody none nothing without
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne
    """
)
DOUBLED = _set("that had is her die das der sie es den dem")  # may stand twice in a row


def faults_of_edit(question: Edit, edit: str) -> list[str]:
    """Return what a rule finds wrong with an edit, the specific faults before the general ones."""
    found = tutorials.words_in(edit)
    if found == tutorials.words_in(question.text):
        return [_("Nothing has been corrected yet."), *_errors(question, found)]
    if len(found) < LEAST_LEFT * max(1, len(tutorials.words_in(_edits_model(question)))):
        return [_("Nearly everything is gone. Correct the text, and keep what it says.")]
    if said := [*_errors(question, found), *_lost(question, found)]:
        return said
    return list(dict.fromkeys([*_new(question, edit, found), *_broken(question, found)]))


def _errors(question: Edit, found: Sequence[str]) -> Iterator[str]:
    for defect in (*question.defects, *question.slips):
        if remains(defect, found):
            yield defect.feedback


def remains(defect: Defect, found: Sequence[str]) -> bool:
    if any(tutorials.count(found, one) for one in defect.unless):
        return False
    return sum(tutorials.count(found, one) for one in defect.strings) > defect.at_most


def _lost(question: Edit, found: Sequence[str]) -> Iterator[str]:
    for meaning in question.meaning:
        if not any(tutorials.count(found, one) for one in meaning.any_of):
            yield meaning.feedback
    for number in _numbers(tutorials.words_in(_edits_model(question))):
        if number not in found and number in tutorials.words_in(question.text):
            yield _("“%(word)s” has gone missing.") % {"word": number}


def _new(question: Edit, edit: str, found: Sequence[str]) -> Iterator[str]:
    """Yield what the edit says more than the text: a number, a denial, or words for nothing."""
    before = tutorials.words_in(question.text)
    for number in _numbers(found):
        if number not in before:
            yield _("“%(word)s” is not in the text.") % {"word": number}
    known = [pattern for fact in question.meaning for pattern in fact.any_of]
    free = tutorials.without(found, [*known, *question.allowed])
    denied = [word for word in free if word in NEGATIVE]
    if len(denied) > sum(word in NEGATIVE for word in before):
        yield _("“%(word)s” changes what the text says.") % {"word": denied[-1]}
    more = _unknown(question, free)
    if len(more) > len(_replaced(question, found)) or _new_sentence(question, edit, set(more)):
        told = ", ".join(f"“{word}”" for word in more[:4])
        yield _("This is new: %(words)s. Correct the text, and add nothing.") % {"words": told}
    if len(found) > MOST_LEFT * len(before):
        yield _("This is much longer than the text. Correct it, and add nothing.")


def _broken(question: Edit, found: Sequence[str]) -> Iterator[str]:
    """Yield what is no sentence: a doubled word, lacking small words, words in any order."""
    before = tutorials.words_in(question.text)
    for one, other in pairwise(found):
        if one == other and one not in DOUBLED and not one.isdigit():
            yield _("“%(words)s”: a word stands twice.") % {"words": f"{one} {other}"}
    if _small(found) < LEAST_SMALL * _small(before):
        yield _("Small words are missing, such as articles. Write whole sentences.")
    known = {*pairwise(before), *pairwise(tutorials.words_in(_edits_model(question)))}
    pairs = list(pairwise(found))
    if sum(pair in known for pair in pairs) < LEAST_PAIRS * len(pairs):
        yield _("The words are in an order that makes no sentence.")


def _edits_model(question: Edit) -> str:
    return question.alternatives[0] if question.alternatives else question.text


def _numbers(found: Sequence[str]) -> list[str]:
    return [word for word in dict.fromkeys(found) if word.isdigit()]


def _small(found: Sequence[str]) -> float:
    return sum(word in SMALL for word in found) / max(1, len(found))


def _content(found: Sequence[str]) -> list[str]:
    own = dict.fromkeys(found)
    return [one for one in own if one not in SMALL | NEGATIVE and not one.isdigit()]


def _unknown(question: Edit, found: Sequence[str]) -> list[str]:
    """Return the words that neither the text nor a good improvement has in some form."""
    whole = " ".join([question.text, *question.alternatives])
    known = set(tutorials.words_in(whole))
    return [
        word
        for word in _content(found)
        if not any(tutorials.akin(word, one) for one in known)
        and not tutorials.compound(word, known)
    ]


def _replaced(question: Edit, found: Sequence[str]) -> list[str]:
    """Return the words of the text that are gone, apart from those of its error: others may stand
    in their place."""
    wrong = [one for defect in question.defects if not defect.at_most for one in defect.strings]
    kept = tutorials.without(tutorials.words_in(question.text), wrong)
    return [
        word
        for word in _content(kept)
        if not any(tutorials.akin(word, one) or tutorials.compound(one, {word}) for one in found)
    ]


def _new_sentence(question: Edit, edit: str, more: set[str]) -> bool:
    """Return whether a sentence has unknown words and none of the text's."""
    known = set(tutorials.words_in(question.text)) - SMALL
    parts = [set(tutorials.words_in(edit[start:end])) for start, end in sentences(edit)]
    return any(part & more and not part & known for part in parts)


# Grades an answer to a tutorial's question, with the reason.


LONGEST_EDIT = 10_000


@dataclass(frozen=True)
class Grade:
    """Whether an answer is right, and the feedback; `detail` is for each paragraph."""

    correct: bool
    feedback: tuple[str, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)


def grade(question: Question, response: Mapping[str, Any]) -> Grade:
    """Grade a response, or raise `InvalidResponse` with what is missing from it."""
    if isinstance(question, Choice):
        return _choice(question, response)
    if isinstance(question, Edit):
        return _edit(question, response)
    if isinstance(question, Evidence):
        return _evidence(question, response)
    if isinstance(question, Practice):
        return _practice(question, response)
    assert isinstance(question, Example)
    return Grade(True, ())


def _choice(question: Choice, response: Mapping[str, Any]) -> Grade:
    value = response.get("value")
    if type(value) is not int or str(value) not in question.feedback:
        raise InvalidResponse({"value": _("Please choose one of the answers.")})
    return Grade(value in question.accepted, (question.feedback[str(value)],))


def _practice(question: Practice, response: Mapping[str, Any]) -> Grade:
    answer = question.asked.checked(response.get("answer"), question.material)
    right = question.fits(answer)
    return Grade(right, (question.feedback.right if right else question.feedback.wrong,))


def _edit(question: Edit, response: Mapping[str, Any]) -> Grade:
    edit = response.get("edit")
    if not isinstance(edit, str) or not edit.strip():
        raise InvalidResponse({"edit": _("Please type your improved text.")})
    if len(edit) > LONGEST_EDIT:
        raise InvalidResponse({"edit": _("This edit is far longer than the text it improves.")})
    distance = levenshtein(question.text, edit)
    listed = any(same_words(edit, one) for one in question.alternatives)
    faults = [] if listed else faults_of_edit(question, edit)
    if not faults:
        return Grade(True, (question.feedback,), {"distance": distance})
    shown = [_("For example: “%(text)s”") % {"text": one} for one in question.alternatives[:1]]
    return Grade(False, (*faults, *shown), {"distance": distance})


def _evidence(question: Evidence, response: Mapping[str, Any]) -> Grade:
    given = response.get("paragraphs")
    if not isinstance(given, list) or len(given) != len(question.paragraphs):
        raise InvalidResponse({"paragraphs": _("Every paragraph needs a verdict.")})
    graded = [
        _paragraph(number, paragraph, one)
        for number, (paragraph, one) in enumerate(zip(question.paragraphs, given, strict=True))
    ]
    feedback = tuple(line for one in graded for line in one.feedback)
    correct = all(one.correct for one in graded)
    detail = {
        "paragraphs": [
            {"correct": one.correct, "feedback": list(one.feedback), **one.detail} for one in graded
        ]
    }
    return Grade(correct, feedback, detail)


def _paragraph(number: int, paragraph: Paragraph, given: Any) -> Grade:
    verdict = given.get("verdict") if isinstance(given, dict) else None
    if type(verdict) is not int or str(verdict) not in paragraph.feedback:
        raise InvalidResponse({f"paragraphs[{number}]": _("This paragraph needs a verdict.")})
    marked = _spans(number, paragraph, given.get("spans") if verdict else [])
    why = paragraph.feedback[str(verdict)]
    if verdict != paragraph.verdict or paragraph.highlight is None:
        return Grade(verdict == paragraph.verdict, (why,))
    overlap = sentences_shown(paragraph.text, expected_spans(paragraph), marked)
    said = getattr(paragraph.highlight, overlap)
    return Grade(overlap == "good", (why, said), {"overlap": overlap})


def _spans(number: int, paragraph: Paragraph, given: Any) -> list[instruments_base.Span]:
    try:
        return instruments_base.read_spans(given, paragraph.text)
    except instruments_base.InvalidSpans as error:
        raise InvalidResponse({f"paragraphs[{number}]": str(error)}) from None


def expected_spans(paragraph: Paragraph) -> list[tuple[int, int]]:
    """Return where the quoted evidence is in the text."""
    starts = [(paragraph.text.index(quote), len(quote)) for quote in paragraph.evidence]
    return [(start, start + length) for start, length in starts]
