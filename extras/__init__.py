"""An optional app with the demonstration, the MTurk stand-in and the replication of the paper.

The product never imports it.
"""
