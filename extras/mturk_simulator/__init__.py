"""A local stand-in for Amazon Mechanical Turk. It is not Amazon, and no one is paid.

An unmodified boto3 client can use it (API version 2017-01-17), and people can do its work in a
browser. `server.serve` runs it in a thread, `manage.py mturk_simulator` in a process.
"""
