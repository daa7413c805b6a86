"""Estimates as readers see them: cells of system and criterion, and rows of a criterion."""
