"""Every metric, on texts small enough to work out by hand. A changed value means a new version."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.metrics import METRICS

FOX = ("The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog")
# Bigrams of 8 words: 5 distinct of 7; trigrams 5 of 6; one of the 7 pairs doubles its word.
STUCK = "The cat sat. The cat sat down down."
CAT = ("the cat sat on mat", "the cat sat on the mat")

KNOWN: list[tuple[str, str, str, float]] = [
    ("repetition_1", STUCK, "", 4 / 8),
    ("repetition_2", STUCK, "", 2 / 7),
    ("repetition_3", STUCK, "", 1 / 6),
    ("adjacent_duplicates", STUCK, "", 1 / 7),
    ("repetition", STUCK, "", (4 / 8 + 2 / 7 + 1 / 6) / 3 + 1 / 7),
    ("repetition", "a b c d", "", 0),
    # Said again: the, cat, sat; doubled: the second down. Four of eight go, four stay.
    ("repetition_edit", STUCK, "", 4 / 4),
    ("repetition_edit", "no no no no", "", 3),
    ("repetition_edit", "it is what it was", "", 0),
    ("length", "Don't go – it's 5 o'clock… 😀", "", 6),
    ("shortest_sentence", "One two three. Four! Is it 3.5 now?", "", 1),
    ("shortest_sentence", "...! ?", "", 0),
    ("shortest_sentence", "One two\nthree", "", 1),
    # {the, cat, sat} and {the, cat, lay, down, flat}; two of the three words of the first.
    ("sentence_overlap", "The cat sat. The cat lay down flat.", "", 2 / 3),
    ("sentence_overlap", "One sentence alone, no other.", "", 0),
    ("sentence_overlap", "Yes. No. Yes.", "", 1),
    ("says_again", "the cat sat and the cat sat", "", 1),
    ("says_again", "the cat and the cat sat", "", 0),
    ("says_again", "no no no no", "", 1),
    ("most_repeated_word", "The word, the Word: the words.", "", 2),
    ("most_repeated_word", "the the the", "", 0),
    ("unknown_tokens", "Ann, \u2583, met <unk> and [UNK] or UNK ■.", "", 5 / 9),
    ("unknown_tokens", "an unk of unknown size", "", 0),
    # rouge-score's own example: 8 and 9 words, 6 shared; 2 of 7 and 8 pairs; sequence of 5.
    ("rouge_1_p", *FOX, 6 / 8),
    ("rouge_1_r", *FOX, 6 / 9),
    ("rouge_1_f", *FOX, 12 / 17),
    ("rouge_2_p", *FOX, 2 / 7),
    ("rouge_2_r", *FOX, 2 / 8),
    ("rouge_2_f", *FOX, 4 / 15),
    ("rouge_l_p", *FOX, 5 / 8),
    ("rouge_l_r", *FOX, 5 / 9),
    ("rouge_l_f", *FOX, 10 / 17),
    ("rouge_1_f", "дом стоит", "дом горит", 1 / 2),
    # Precisions 5/5, 3/4, 2/3, 1/2; brevity exp(1 - 6/5).
    ("bleu", "a b", "a b", 1),  # effective order: shorter than 4 tokens
    ("bleu", *CAT, math.exp(-1 / 5) * (1 / 4) ** (1 / 4)),
    # Character 1- and 2-grams: P = 1, R = mean(2/3, 1/2) = 7/12; F2 = 5PR / (4P + R).
    ("chrf", "ab", "abc", 35 / 55),
    ("ter", "a b c d", "a b x d", 1 / 4),
    ("ter", "A b", "a b", 0),
    # One shift of a block, from sacrebleu's tests of Tercom.
    ("ter", "dddd eeee ffff aaaa bbbb cccc", "aaaa bbbb cccc dddd eeee ffff", 1 / 6),
    ("ter", "a b c d", "a", 3),
    ("meteor_exact_stem", "a b c d", "a b c d", 1 - 0.5 / 4**3),
    # Stems match: dogs/dog, running/run; one chunk of 3 words, so the same as for equal texts.
    ("meteor_exact_stem", "dogs were running", "dog were run", 1 - 0.5 / 3**3),
]

# Words a b b c; the first paragraph has a, b; the second b, b, c in another order.
PARAGRAPHS = ["A, b! x", "c b b."]
SUPPORTED: list[tuple[str, str, list[str], float]] = [
    ("support_1", "a b b c", PARAGRAPHS, 3 / 4),
    ("support_2", "a b b c", PARAGRAPHS, 1 / 3),  # "a b" in one, "b b" in the other
    ("support_3", "a b b c", PARAGRAPHS, 0),
    ("support_3", "a b b c", [*PARAGRAPHS, "x a b b"], 1 / 2),
    ("support_1", "b b b b", ["b"], 1 / 4),  # counted as often as the paragraph has it
    ("support_1", "a", [], 0),
    ("support_2", "a", ["a"], 0),
]


@pytest.mark.parametrize(("name", "text", "paragraphs", "expected"), SUPPORTED)
def test_support(name: str, text: str, paragraphs: list[str], expected: float) -> None:
    score = METRICS[name].score([text], paragraphs=[paragraphs])[0]
    assert score == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("name", "text", "reference", "expected"), KNOWN)
def test_value(name: str, text: str, reference: str, expected: float) -> None:
    assert METRICS[name].score([text], [reference])[0] == pytest.approx(expected, abs=1e-12)


# Words a b b c: with "b c" two shared of 4 + 2, with "a x" one of 4 + 2; 4 words, 2 on average.
AMONG: list[tuple[str, str, list[str], float]] = [
    ("consensus_f1", "a b b c", ["B, c.", "a x"], (4 / 6 + 2 / 6) / 2),
    ("consensus_f1", "a b", ["a b", "x"], 1 / 2),
    ("consensus_f1", "", ["", "a"], 0),
    ("consensus_f1", "a", [], 0),
    ("consensus_length", "a b b c", ["B, c.", "a x"], 2),
    ("consensus_length", "a", ["a b", "a b c"], 3 / 2),
    ("consensus_length", "a b", [], 0),
]


@pytest.mark.parametrize(("name", "text", "others", "expected"), AMONG)
def test_consensus(name: str, text: str, others: list[str], expected: float) -> None:
    score = METRICS[name].score([text], others=[others])[0]
    assert score == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shortest_sentence", "sentence_overlap"])
def test_long_texts_without_end_take_no_long_time(name: str) -> None:
    many = " ".join(f"w{i} common." for i in range(100_000))
    # With the square of either length this would take hours.
    assert METRICS[name].score([many, "." * 1_000_000 + "x"]).tolist() in ([2, 1], [0.5, 0])


def test_every_metric_has_a_known_answer() -> None:
    known = {row[0] for row in (*KNOWN, *SUPPORTED, *AMONG)}
    assert known == set(METRICS)


def test_meteor_example_of_nltk() -> None:
    # Its documented value, 0.6944, needs no synonym.
    text = (
        "It is a guide to action which ensures that the military always obeys the commands "
        "of the party"
    )
    reference = (
        "It is a guide to action that ensures that the military will forever heed Party commands"
    )
    score = METRICS["meteor_exact_stem"].score([text], [reference])[0]
    assert round(score, 4) == 0.6944


@settings(max_examples=100, deadline=None)
@given(*[st.lists(st.sampled_from("abcde"), max_size=30).map(" ".join)] * 2)
def test_the_longest_common_sequence_is_that_of_rouge_score(text: str, reference: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    theirs = RougeScorer(["rougeL"]).score(reference, text)["rougeL"]
    ours = [METRICS[f"rouge_l_{part}"].score([text], [reference])[0] for part in "prf"]
    assert ours == [theirs.precision, theirs.recall, theirs.fmeasure]


def test_rouge_equals_rouge_score_on_ascii() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    text = "The U.S. won't pay $3.50; it's re-opened_again: won't pay."
    reference = "The US won't re-open: it has paid $3.50 again."
    for kind, name in (("rouge1", "rouge_1"), ("rouge2", "rouge_2"), ("rougeL", "rouge_l")):
        theirs = RougeScorer([kind]).score(reference, text)[kind]
        ours = [METRICS[f"{name}_{part}"].score([text], [reference])[0] for part in "prf"]
        assert ours == [theirs.precision, theirs.recall, theirs.fmeasure]
        assert theirs.fmeasure > 0
