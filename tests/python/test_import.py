"""The package can be imported, and says which version it is."""

import re

import troupe


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", troupe.__version__)
