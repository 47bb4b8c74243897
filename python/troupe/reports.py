"""What a runtime says of itself: dictionaries that print as text for people."""


class _Report(dict):
    def __init__(self, values, text):
        super().__init__(values)
        self.text = text

    def __str__(self):
        return self.text


class Why(_Report):
    """What `Runtime.why` returns: the keys are those of the JSON in the manual."""


class Analysis(_Report):
    """What `Trace.analysis` returns: where the time of a run went."""
