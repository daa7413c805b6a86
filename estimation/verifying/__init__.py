"""Checks an export without a database: everything in it is made again, and differences are named.

`bundle` reads the file, `facts` makes samples of it, `remaking` makes estimates and decisions
again, `checks` compares.
"""
