"""What `annotate` tells whoever listens. It imports nobody who does."""

from django.dispatch import Signal

# Sent after commit, robustly, with `campaign_id`: what counts has changed.
evidence_changed = Signal()
