"""Passwords whose hash takes no time: hundreds of tests make users."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """The real algorithm, so that other processes can check what tests have stored."""

    iterations = 1
