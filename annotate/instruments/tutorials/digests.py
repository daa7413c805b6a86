"""Names of content: the same for the same JSON, however its file was laid out."""

import hashlib
import json
from typing import Any


def canonical(raw: Any) -> str:
    """One spelling for one content."""
    return json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(raw: Any) -> str:
    return hashlib.sha256(canonical(raw).encode("utf-8", "surrogatepass")).hexdigest()
