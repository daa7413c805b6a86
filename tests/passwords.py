"""Passwords whose hash takes no time: hundreds of tests make users."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """The real algorithm, so that other processes can check what tests have stored."""

    iterations = 1


class SlowHasher(PBKDF2PasswordHasher):
    """A hash that takes most of a request, and still less than in production."""

    iterations = 200_000
