"""Tokens of scripts: `Authorization: Token SECRET`, compared by their digests."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed

from annotate.services.accounts import api_tokens


class TokenAuthentication(authentication.TokenAuthentication):
    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        token = api_tokens.owner(key)
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked. Make another.")
        return token.user, token
