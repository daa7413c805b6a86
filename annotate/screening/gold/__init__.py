"""Gold: tasks with known answers."""
