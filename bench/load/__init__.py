"""Closed-loop load: annotators who submit without a pause, against servers that this starts.

`python -m bench.load` starts Postgres, Redis, gunicorn, a Celery worker and beat, each as its own
process, and prints tables with a row for each number of annotators.
"""
