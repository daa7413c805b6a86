"""What `estimation` tells its listeners."""

from django.dispatch import Signal

# Sent after commit, robustly, with `campaign_id`: agreement is to be measured anew.
agreement_due = Signal()

# Sent after commit, robustly, with `campaign_id`: the forecast of its end is to be made anew.
forecast_due = Signal()

# Sent after commit, robustly, with `campaign_id`: the closer look at it is to be made anew.
closer_look_due = Signal()
