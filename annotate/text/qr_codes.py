"""QR codes as inline SVG."""

import segno


def svg(text: str) -> str:
    """Return an `<svg>` element without a size, dark on light in both themes.

    Not all cameras read light on dark.
    """
    made = segno.make_qr(text, error="m")
    return made.svg_inline(dark="#000", light="#fff", border=4, omitsize=True)
