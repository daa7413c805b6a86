"""The meaning of columns that several tables of an export share."""

METHOD = {
    "criterion": "what was asked of people",
    "at": "when it was computed",
    "version": "of the Plumbline that computed it; empty: one before 0.2.0",
    "provisional": "1 while the campaign collected: slow items were missing; 0 for final ones",
    "estimator": "mean, regression (one metric) or multi (several)",
    "interval": "the rule that made the interval",
    "estimand": "population: of annotators like these; panel: these annotators alone",
    "metrics": "the automatic metrics that it uses",
    "metric_transform": "how they entered: normal_scores, signed_scores (pairs of texts) or raw; "
    "empty without metrics, and in rows of before 0.2.0, where it is raw",
    "level": "of the interval",
}
INTERVAL = {
    "low": "lower end of the interval, not clipped to the scale",
    "high": "its upper end",
    "width": "high less low",
    "df": "degrees of freedom",
    "std_error": "standard error",
}
EVIDENCE = {
    "n_items": "items judged",
    "n_population": "items that there are",
    "n_judgments": "judgments that entered",
    "n_annotators": "people who gave them",
    "effective_annotators": "as many people with equal shares would be worth as much",
}
NEWEST = {
    "newest": "1 for the last of its kind, 0 for those before it",
    "notices": "codes of what is to be known about it",
}
DECIDED = {
    "outcome": "in a ranking: first or second (which is higher), close or open; else empty",
    "margin": "in a ranking: the largest difference that does not matter",
    "needs": "what would settle an open pair: items, people or neither",
    "items_needed": "about how many items in all would settle it",
}
ANNOTATOR = "pseudonym; nothing in this file says who it is"
