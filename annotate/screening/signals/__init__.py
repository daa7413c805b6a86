"""Signals of an annotator's page: evidence for a person who reviews, and never a verdict.

They can list somebody for review. Nothing here, and nothing that uses it, pauses anyone, excludes
work or refuses pay (decision 047).
"""
