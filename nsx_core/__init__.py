"""Necessity and sufficiency explanations for text classifiers."""

__version__ = "0.1.0"
