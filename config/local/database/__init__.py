"""Django's Postgres, in the folder of this installation."""
