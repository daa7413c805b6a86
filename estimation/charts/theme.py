"""Colours of the plots, for a light and a dark page: those of static/css/tokens.css."""

from dataclasses import dataclass

FONT = (
    "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Liberation Sans, Arial, sans-serif"
)


@dataclass(frozen=True)
class Theme:
    ink: str
    quiet: str
    line: str
    zero: str
    band: str
    band_line: str
    wide: str
    wide_line: str


THEMES = {
    "light": Theme(
        ink="#1b1f23",
        quiet="#474e55",
        line="#dcdcd5",
        zero="#83888b",
        band="#e7eef9",
        band_line="#a3bde2",
        wide="#fcf0da",
        wide_line="#dcb36b",
    ),
    "dark": Theme(
        ink="#e8eaec",
        quiet="#bac1c7",
        line="#333a41",
        zero="#7e8891",
        band="#1e2e46",
        band_line="#4a6896",
        wide="#35270f",
        wide_line="#80632c",
    ),
}
