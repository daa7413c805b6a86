"""The report of a campaign: what a reader of its results must know, from one set of facts."""
