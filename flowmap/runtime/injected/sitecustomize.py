"""Python imports this at its start, before the program: starts the recorder, then gives way to the user's own `sitecustomize`.

Stands alone, as the recorder does: flowmap itself need not be installed in the Python that runs the program.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _start_recorder(folder: str) -> None:
    file = os.path.join(os.path.dirname(folder), "recorder.py")
    spec = importlib.util.spec_from_file_location("_flowmap_recorder", file)
    assert spec is not None, file
    assert spec.loader is not None, file
    recorder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recorder)
    recorder.start(os.environ["FLOWMAP_RECORD"])


def _give_way(folder: str) -> None:
    """Take this folder off the path, as if it had never been there, and import the `sitecustomize` that it hid."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    own = sys.modules.pop(__name__)
    try:
        importlib.import_module(__name__)
    except ModuleNotFoundError as error:
        if error.name != __name__:
            raise
        sys.modules[__name__] = own  # the import under way wants one


if __name__ == "sitecustomize":
    _folder = os.path.dirname(os.path.abspath(__file__))
    if "FLOWMAP_RECORD" in os.environ:
        _start_recorder(_folder)
    _give_way(_folder)
