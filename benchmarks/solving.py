"""How long the engine alone works on a subject, per call site. Prints microseconds of processor time."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from flowmap.gather import collector_off, gather_facts
from flowmap.kept import open_subject
from flowmap.link.link import link
from flowmap.model.progress import SilentProgress
from flowmap.solve.solve import Options, solve
from flowmap.source.resolve import choose_subject
from flowmap.stubs import read_stub


def main() -> None:
    """The facts are there before the clock starts."""
    opened = open_subject(choose_subject((sys.argv[1],), (), Path.cwd()), SilentProgress())
    with collector_off():
        facts = gather_facts(opened.files, SilentProgress())
        start = time.process_time()
        solve(link(facts), Options(read_stub=read_stub))
        seconds = time.process_time() - start
    print(1_000_000 * seconds / sum(one.n_sites for one in facts))


if __name__ == "__main__":
    main()
