"""From an uploaded file to a campaign, with bounded memory.

`decoding` turns the file into UTF-8. `forms` recognises its format and yields records. `fields` and
`rows` turn records into checked rows. `sheet` holds the rows on disk during one import. `facts`
summarises them for the preview. `making` writes the campaign. `running` takes an import from its
first state to its last.
"""
