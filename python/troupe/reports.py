"""The reports of a runtime: dictionaries that print as text for people."""


class _Report(dict):
    def __init__(self, values, text):
        super().__init__(values)
        self.text = text

    def __str__(self):
        return self.text


class Why(_Report):
    """The report that `Runtime.why` returns. Its keys are the same as in the JSON in the manual."""


class Analysis(_Report):
    """The report that `Trace.analysis` returns. It shows how the time of a run was spent."""
