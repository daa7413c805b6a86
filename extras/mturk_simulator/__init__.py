"""A local stand-in for Amazon Mechanical Turk: it is not Amazon, and nobody is paid.

An unmodified boto3 client drives it (API version 2017-01-17), and people can take work from it
in a browser. `server.serve` runs it in a thread, `manage.py mturk_simulator` by itself.
"""
