"""How fast the app is here, as ratios within one run: ``make bench``."""
