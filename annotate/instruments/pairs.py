"""Two texts of one item as one output: the first system's text, a mark, the second one's.

Who judges a pair sees it in one of its two orders. The order depends on the person and the pair
alone, so it is the same after a reload and on the server that reads the answer.
"""

from hashlib import blake2b

MARK = "\n\n⁂⁂⁂\n\n"  # between the texts; no text of a pair may contain it
BETWEEN = " vs. "  # between the names of two systems


def joined(first: str, second: str) -> str:
    """Return the text of a pair."""
    return f"{first}{MARK}{second}"


def parts(text: str) -> tuple[str, str]:
    """Return the two texts of a pair. The second is "" where the text is not one of a pair."""
    first, _mark, second = text.partition(MARK)
    return first, second


def name(first: str, second: str) -> str:
    """Return the name under which two systems are compared."""
    return f"{first}{BETWEEN}{second}"


def is_turned(annotator_id: int, task: str) -> bool:
    """Return whether this person sees this pair with its second text first: half of them do."""
    digest = blake2b(f"{annotator_id}:{task}".encode(), digest_size=1).digest()
    return bool(digest[0] & 1)
