"""Where the metrics can be read: a file that is rewritten, an address that is served."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from adaptive_disable.policy import Decision, Signals

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LOCALHOST = "127.0.0.1"
logger = logging.getLogger("adaptive_disable")


class MetricsFile:
    """Rewrites a file with the metrics, at most once in some seconds. A witness of the controller: ask `Metrics` before
    it.

    Readers see the old text or the new one, never a part. Raises `OSError` where the file cannot be written at the
    start; later that is said once and the file left as it is.
    """

    def __init__(
        self, path: Path, text: Callable[[], str], seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._text = text
        self._seconds = seconds
        self._clock = clock
        self._stopped = False
        self.write()

    def saw(self, _signals: Signals, _decided: Decision, done: Decision) -> None:
        """Rewrite the file when it is time, and after every flip."""
        if self._stopped or not (done.flipped or self._clock() >= self._due):
            return
        try:
            self.write()
        except OSError as error:
            self._stopped = True
            logger.warning("metrics are no longer written: %s", error)

    def close(self) -> None:
        """Write what was counted last, if the file can still be written."""
        if not self._stopped:
            self.write()

    def write(self) -> None:
        """Rewrite the file now."""
        self._due = self._clock() + self._seconds
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        beside.write_text(self._text(), encoding="utf-8")
        beside.replace(self._path)


def serve(text: Callable[[], str], port: int) -> ThreadingHTTPServer:
    """Serve the metrics at /metrics of a port of localhost, from a thread that ends with the process. 0: any free port.

    Raises `OSError` where the port is taken. `shutdown` of what is returned ends it.
    """

    class Page(BaseHTTPRequestHandler):
        """Answers with the metrics."""

        def do_GET(self) -> None:
            """Send them, or say where they are."""
            found = self.path.split("?")[0] in ("/", "/metrics")
            body = (text() if found else "see /metrics\n").encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing: a scrape is no event."""

    server = ThreadingHTTPServer((LOCALHOST, port), Page)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="adaptive-disable-metrics", daemon=True).start()
    return server
