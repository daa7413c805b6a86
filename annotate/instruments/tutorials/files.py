"""The files of the built-in tutorials, as they are: to start from."""

from pathlib import Path

INSTRUMENTS = Path(__file__).resolve().parent.parent


def languages(key: str) -> list[str]:
    """Return the languages that an instrument's built-in tutorial exists in."""
    return [path.name.split(".")[1] for path in sorted(_folder(key).glob("tutorial.*.json"))]


def text(key: str, language: str) -> str:
    """Return the file of one language; KeyError names those there are."""
    known = languages(key)
    if language not in known:
        raise KeyError(f"No tutorial in {language!r}; there are {', '.join(known) or 'none'}.")
    return (_folder(key) / f"tutorial.{language}.json").read_text(encoding="utf-8")


def _folder(key: str) -> Path:
    known = {path.name for path in INSTRUMENTS.iterdir()}
    return INSTRUMENTS / (key if key in known else "none")
