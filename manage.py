#!/usr/bin/env python
"""Plumbline's command line: `python manage.py help` lists the commands."""

from config.command import main

if __name__ == "__main__":
    main()
