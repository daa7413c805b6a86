"""A database of the size of a large crowd's campaign, filled once by the database itself.

`python -m bench.large` starts Postgres with a data folder that survives, makes and fills a database
of the named size if there is none yet, and prints its address. `--help` lists the sizes.
"""
