"""What nobody types by accident, and what some do: texts, numbers, JSON."""

from typing import Any

DEEP = 100_000
TEXTS = {
    "nul": "long enough\0for a session",
    "nothing": "",
    "space": "  ",
    "long": "x" * 10_000,
    "longer than most columns": "y" * 300,
    "grows when folded": "ß" * 80,
    "four bytes each": "\U0001f600" * 300,
    "line feeds": "a\r\nSet-Cookie: b",
    "controls": "\x01\x1b[2J\x7f",
    "direction": "\u202eabc\u2066",
    "digits": "9" * 5000,
    "beyond 64 bits": "9" * 30,
    "beyond 32 bits": "2147483648",
    "negative": "-1",
    "not a number": "NaN",
    "infinite": "1e999",
    "tiny": "1e-400",
    "exponent": "1E+30",
    "other digits": "٣٤",
    "superscript": "²",
    "e-mail": "a" * 245 + "@example.org",
    "markup": "<script>alert(1)</script>{{ 7 }}{% x %}",
    "quotes": "'; DROP TABLE x; --\"",
    "up": "../../etc/passwd",
    "brackets": "[" * DEEP,
    "json": '{"a": NaN}',
    "date": "9999-12-31T23:59:59.999999+14:00",
    "early date": "0001-01-01T00:00:00-14:00",
    "percent": "%s%(x)s%n",
}
# Those that have broken something, or nearly: the others are tried by `make hostile`.
FEW = {
    name: TEXTS[name]
    for name in (
        "nul",
        "long",
        "longer than most columns",
        "grows when folded",
        "line feeds",
        "digits",
        "beyond 64 bits",
        "not a number",
        "e-mail",
    )
}
# Raw bytes of a query or a form, already encoded: what no client library would write.
RAW = ["a=%ED%A0%80", "a=%ff%fe", "a=%", "=", "&&&", "a=" + "%5B" * 1000, "a[b][c]=d", "\x80=\x80"]
JSON_BODIES: dict[str, bytes] = {
    "nothing": b"",
    "deep lists": b"[" * DEEP,
    "deep lists, closed": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP,
    "deeper than most": b'{"a":' * 500 + b"1" + b"}" * 500,
    "deep in a field": b'{"name": ' + b"[" * 500 + b"]" * 500 + b"}",
    "nul": b'{"name": "a\\u0000b", "username": "a\\u0000b", "text": "\\u0000"}',
    "nul in a name": b'{"a\\u0000b": 1}',
    "half a pair": b'{"name": "\\ud800", "username": "\\udfff", "text": "\\ud83d"}',
    "half a pair in a name": b'{"\\ud800": 1}',
    "not finite": b'{"level": NaN, "name": Infinity}',
    "too large": b'{"level": 1e999}',
    "many digits": b'{"level": ' + b"9" * 10_000 + b"}",
    "digits": b'{"level": ' + b"9" * 400 + b"}",
    "twice": b'{"name": "a", "name": "b"}',
    "not utf-8": b'{"name": "\xff\xfe"}',
    "utf-16": '{"name": "a"}'.encode("utf-16"),
    "with a mark": b'\xef\xbb\xbf{"name": "a"}',
    "a list": b"[1, 2]",
    "a text": b'"text"',
    "a number": b"7",
    "null": b"null",
    "cut off": b'{"name": "a',
    "two": b"{}{}",
    "nul byte": b"\0",
    "a long text": b'{"name": "' + b"x" * 100_000 + b'"}',
}
FEW_BODIES = (
    "deep lists, closed",
    "deep objects",
    "nul",
    "half a pair",
    "digits",
    "twice",
    "a list",
)
SCALARS: dict[str, Any] = {
    "null": None,
    "true": True,
    "zero": 0,
    "negative": -1,
    "beyond 32 bits": 2**31,
    "beyond 64 bits": 2**63,
    "beyond floats": 10**308,
    "half": 0.5,
    "tiny": 5e-324,
    "list": [],
    "list in list": [[["a"]], {"b": []}],
    "object": {},
    "object of objects": {"a": {"b": {"c": None}}},
    "mixed": ["a", 1, None, {}],
    "many": ["a"] * 1000,
}
