"""The version of Plumbline, as in pyproject.toml."""

VERSION = "0.1.0"
