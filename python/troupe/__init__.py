"""Troupe: tasks on numpy arrays, ordered by the data that they use, on all cores and accelerators of this machine."""

from ._troupe import __version__

__all__ = ["__version__"]
