import os

from . import Runtime

def connect(folder: str | os.PathLike[str] | None = ..., name: str | None = ...) -> Runtime: ...
