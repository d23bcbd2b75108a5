"""Lets kernels that SGLang would compile when they are first used raise instead: `trim.py SITE`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

HEAD = re.compile(r"(def load_jit\([^)]*\)[^:]*:\n)")
REFUSAL = r'\1    raise RuntimeError("this bundle has no kernels that are compiled when they are first used")\n'


def main(site: str) -> None:
    """Change one function of one file, in place."""
    file = Path(site, "sglang", "jit_kernel", "utils.py")
    text, number = HEAD.subn(REFUSAL, file.read_text(encoding="utf-8"), count=1)
    if number != 1:
        raise SystemExit(f"{file}: no function load_jit; SGLang 0.5.9 has one")
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
