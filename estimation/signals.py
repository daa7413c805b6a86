"""What `estimation` tells its listeners."""

from django.dispatch import Signal

# Sent after commit, robustly, with `campaign_id`: agreement is to be measured anew.
agreement_due = Signal()
