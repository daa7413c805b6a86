"""The rules for improved texts. Each can be said in words, and what none of them faults is right.

The error is gone, every fact is still there, nothing is new, and most of the text is left. Words
are compared as in `words`: a synonym in the place of a word is no fault, a word more is one.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from django.utils.translation import gettext as _

from annotate.instruments.tutorials import words
from annotate.instruments.tutorials.questions import Defect, Edit
from annotate.instruments.tutorials.sentences import sentences

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


def faults(question: Edit, edit: str) -> list[str]:
    """Return what a rule finds wrong with an edit, the specific faults before the general ones."""
    found = words.words(edit)
    if found == words.words(question.text):
        return [_("Nothing has been corrected yet."), *_errors(question, found)]
    if _left(question, found) < LEAST_LEFT:
        return [_("Nearly everything is gone. Correct the text, and keep what it says.")]
    if said := [*_errors(question, found), *_lost(question, found)]:
        return said
    return list(dict.fromkeys([*_new(question, edit, found), *_broken(question, found)]))


def _errors(question: Edit, found: Sequence[str]) -> Iterator[str]:
    for defect in (*question.defects, *question.slips):
        if remains(defect, found):
            yield defect.feedback


def remains(defect: Defect, found: Sequence[str]) -> bool:
    if any(words.count(found, one) for one in defect.unless):
        return False
    return sum(words.count(found, one) for one in defect.strings) > defect.at_most


def _lost(question: Edit, found: Sequence[str]) -> Iterator[str]:
    for meaning in question.meaning:
        if not any(words.count(found, one) for one in meaning.any_of):
            yield meaning.feedback
    for number in _numbers(words.words(_model(question))):
        if number not in found and number in words.words(question.text):
            yield _("“%(word)s” has gone missing.") % {"word": number}


def _new(question: Edit, edit: str, found: Sequence[str]) -> Iterator[str]:
    """Yield what the edit says more than the text: a number, a denial, or words for nothing."""
    before = words.words(question.text)
    for number in _numbers(found):
        if number not in before:
            yield _("“%(word)s” is not in the text.") % {"word": number}
    known = [pattern for fact in question.meaning for pattern in fact.any_of]
    free = words.without(found, [*known, *question.allowed])
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
    before = words.words(question.text)
    for one, other in pairwise(found):
        if one == other and one not in DOUBLED and not one.isdigit():
            yield _("“%(words)s”: a word stands twice.") % {"words": f"{one} {other}"}
    if _small(found) < LEAST_SMALL * _small(before):
        yield _("Small words are missing, such as articles. Write whole sentences.")
    known = {*pairwise(before), *pairwise(words.words(_model(question)))}
    pairs = list(pairwise(found))
    if sum(pair in known for pair in pairs) < LEAST_PAIRS * len(pairs):
        yield _("The words are in an order that makes no sentence.")


def _model(question: Edit) -> str:
    return question.alternatives[0] if question.alternatives else question.text


def _left(question: Edit, found: Sequence[str]) -> float:
    return len(found) / max(1, len(words.words(_model(question))))


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
    known = set(words.words(whole))
    return [
        word
        for word in _content(found)
        if not any(words.akin(word, one) for one in known) and not words.compound(word, known)
    ]


def _replaced(question: Edit, found: Sequence[str]) -> list[str]:
    """Return the words of the text that are gone, apart from those of its error: others may stand
    in their place."""
    wrong = [one for defect in question.defects if not defect.at_most for one in defect.strings]
    kept = words.without(words.words(question.text), wrong)
    return [
        word
        for word in _content(kept)
        if not any(words.akin(word, one) or words.compound(one, {word}) for one in found)
    ]


def _new_sentence(question: Edit, edit: str, more: set[str]) -> bool:
    """Return whether a sentence has unknown words and none of the text's."""
    known = set(words.words(question.text)) - SMALL
    parts = [set(words.words(edit[start:end])) for start, end in sentences(edit)]
    return any(part & more and not part & known for part in parts)
