"""Pure statistics: arrays in, estimates out. No Django, no clock, no global random state."""
