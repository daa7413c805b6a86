"""Cut-offs from the campaign itself: honest people like its own are simulated, and screened."""

from annotate.screening.calibration.calibrating import calibrated

__all__ = ["calibrated"]
