"""Makes the models below a folder: `python -m benchmarks.gpu.make_models FOLDER [DEVICE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.gpu.models import write_models

if __name__ == "__main__":
    write_models(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cuda")  # noqa: PLR2004
