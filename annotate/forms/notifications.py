"""The form of a subscription to what happens in a campaign."""

from typing import Any

from django import forms
from django.conf import settings

from annotate.services.notifications.events import EVENTS
from annotate.services.notifications.subscribing import LONGEST_URL
from annotate.states import NotificationChannel

HOW = [
    (NotificationChannel.MAIL.value, "By e-mail to me"),
    (NotificationChannel.WEBHOOK.value, "By a webhook: a signed POST to an address of mine"),
]
USUAL = ("closed", "decision", "flag", "budget")


class SubscribeForm(forms.Form):
    channel = forms.ChoiceField(
        label="How",
        choices=HOW,
        initial=NotificationChannel.MAIL,
        widget=forms.RadioSelect,
    )
    url = forms.CharField(
        label="Address of the webhook",
        required=False,
        max_length=LONGEST_URL,
        help_text="It begins with https:// and is reached over the public internet.",
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        label="When",
        choices=[(one.key, one.means[0].upper() + one.means[1:]) for one in EVENTS.values()],
        initial=USUAL,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one event or more."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_MAIL:
            field = self.fields["channel"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = HOW[1:]
            field.initial = NotificationChannel.WEBHOOK
