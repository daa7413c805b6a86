"""The signals that `annotate` sends. It imports no listener."""

from django.dispatch import Signal

# Sent after commit, robustly, with `campaign_id`: what counts has changed.
change_marked = Signal()

# Sent after commit, robustly, with `operation_id`: something is to be done on a crowd now.
operation_intended = Signal()

# Sent after commit, robustly, with `posting_id`: its crowd says that something happened there.
posting_changed = Signal()

# Sent after commit, robustly, with `import_id`: a worker has something to do with this import.
import_waiting = Signal()

# Sent after commit, robustly, with `mail_id`: a mail waits for a worker.
mail_intended = Signal()

# Sent after commit, robustly: some judgment waits for scores that take long.
scores_awaited = Signal()

# Sent after commit, robustly, with `subscription_id`: it has notifications that wait for a worker.
notifications_intended = Signal()
