"""What is seen on the pictures: outputs long enough to look like real ones."""

from annotate.campaigns.problems import Row

ITEMS = (
    ("ferry", "The Norholm ferry runs again from Sunday, after three weeks of repairs."),
    ("library", "The town library stays open until nine on Thursdays until March."),
    ("orchid", "A rare orchid has flowered in the university greenhouse."),
    ("bridge", "The county closes the old bridge to lorries from May."),
)
OUTPUTS = {
    "pointer": (
        "The Norholm ferry will run again from Sunday. The ferry was out of service for three "
        "weeks, and the ferry company said the ferry needed a new engine. Passengers can use "
        "tickets that they bought before the repair until the end of the year.",
        "The town library will stay open until nine o’clock on Thursdays, the library said. "
        "Councillors agreed on Monday to pay for the longer hours until March.",
        "A orchid that is rare have flowered in the greenhouse of the university, it was flowered "
        "for the first time since 1998.",
        "Lorries can no longer cross the old bridge from May, the county said.",
    ),
    "seq2seq": (
        "Ferry to Norholm runs Sunday three weeks after. The repairs was the engine of ferry and "
        "the ferry.",
        "Library open nine o’clock Thursdays. Library pays the library.",
        "The rare orchid flowered rare orchid in the greenhouse.",
        "The bridge is closed, the bridge is old and closed for lorries in May in May.",
    ),
}


def rows() -> list[Row]:
    return [
        Row(
            item=item,
            system=system,
            output=outputs[i],
            reference=reference,
            metrics={"quality": float(len(outputs[i]) % 11)},
        )
        for i, (item, reference) in enumerate(ITEMS)
        for system, outputs in OUTPUTS.items()
    ]


def german_rows() -> list[Row]:
    """Long words, where there are any; one text says too much, the other breaks off."""
    texts = {
        "pointer": "Die Stadtverwaltungsdirektorin hat am Mittwoch die Wiedereröffnung des "
        "Schifffahrtsmuseums angekündigt. Das Schifffahrtsmuseum wird wieder eröffnet, sagte die "
        "Stadtverwaltungsdirektorin, und der Eintritt kostet sechs Euro.",
        "seq2seq": "Museum eröffnet Mittwoch der Direktorin. Eintritt sechs Euro und der.",
    }
    return [Row(item, system, text) for item in "abc" for system, text in texts.items()]
