"""Digests of content: equal for the same JSON, whatever the layout of its file."""

import hashlib
import json
from typing import Any


def canonical(raw: Any) -> str:
    """Return the same spelling for the same content."""
    return json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(raw: Any) -> str:
    return hashlib.sha256(canonical(raw).encode("utf-8", "surrogatepass")).hexdigest()
