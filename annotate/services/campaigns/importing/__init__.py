"""From an uploaded file to a campaign, with bounded memory.

`decoding` makes UTF-8 of it, `forms` finds out what form it has and yields records, `fields` and
`rows` make checked rows of them, `sheet` holds these on disk for as long as one import lasts,
`facts` sums them up for the preview, `making` writes the campaign, and `running` leads an import
from its first state to its last.
"""
