"""The unchanged files of the built-in tutorials, as a starting point."""

from pathlib import Path

from annotate.instruments.registry import INSTRUMENTS


def languages(key: str) -> list[str]:
    """Return the languages of an instrument's built-in tutorial."""
    folder = _folder(key)
    return (
        [path.name.split(".")[1] for path in sorted(folder.glob("tutorial.*.json"))]
        if folder
        else []
    )


def text(key: str, language: str) -> str:
    """Return the file of one language; KeyError names the existing ones."""
    known = languages(key)
    if language not in known:
        raise KeyError(f"No tutorial in {language!r}; there are {', '.join(known) or 'none'}.")
    folder = _folder(key)
    assert folder is not None, "its languages are those of files in it"
    return (folder / f"tutorial.{language}.json").read_text(encoding="utf-8")


def _folder(key: str) -> Path | None:
    return INSTRUMENTS[key].folder if key in INSTRUMENTS else None
