"""What shows, stands in and replays: an optional app, which the product never imports."""
