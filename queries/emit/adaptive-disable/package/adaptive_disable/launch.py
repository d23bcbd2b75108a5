"""Starts SGLang's server with the hook in its scheduler processes:

    python -m adaptive_disable.launch --adaptive-disable-enabled --model-path … --speculative-algorithm EAGLE3 …

Takes the server's own arguments beside the hook's. Unless `enabled` is set, the server starts as it would by itself:
nothing is checked, filled in or patched.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence

from adaptive_disable.compatibility import BindingMoved, check
from adaptive_disable.config import ConfigError
from adaptive_disable.files import check_files
from adaptive_disable.server_arguments import ServerArgumentsError
from adaptive_disable.settings import flags_in, read_settings

USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the server ends. Returns 2, with the reasons on the error stream, where it cannot start as asked."""
    try:
        flags, of_the_server = flags_in(sys.argv[1:] if arguments is None else arguments)
        config = read_settings(flags, os.environ)
        if not _is_installed("sglang"):
            raise ServerArgumentsError(("sglang is not installed here: install this package into its environment",))
        if config.enabled:
            check_files(config)
            check()
        from adaptive_disable import server  # noqa: PLC0415 SGLang takes seconds to import: what is wrong is said before

        server.serve(of_the_server, config)
    except (ConfigError, ServerArgumentsError, BindingMoved) as error:
        for line in str(error).splitlines():
            print(f"adaptive-disable: {line}", file=sys.stderr)
        return USAGE_ERROR
    return 0


def _is_installed(package: str) -> bool:
    return package in sys.modules or importlib.util.find_spec(package) is not None


if __name__ == "__main__":
    sys.exit(main())
