"""Coverage and cost of the stopping intervals: many simulated campaigns at once.

Arrays are (judgments, campaigns) and (people, campaigns); only looks and judgments are loops.
The formulas are those of docs/statistics.md, written a second time and compared with the engine
in tests/core/simulation/test_batch.py.
"""
