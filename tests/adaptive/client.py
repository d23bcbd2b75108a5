"""Asks a server over HTTP: for tokens, for metrics, and which process listens where."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil

N_TOKENS = 24


def asked(port: int, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
    """The tokens of prompts that are sent at once."""
    with ThreadPoolExecutor(len(prompts)) as pool:
        return list(pool.map(lambda prompt: generated(port, prompt), prompts))


def generated(port: int, prompt: Sequence[int]) -> list[int]:
    """The tokens of one prompt, greedy."""
    sampling = {"max_new_tokens": N_TOKENS, "temperature": 0, "ignore_eos": True}
    body = json.dumps({"input_ids": prompt, "sampling_params": sampling}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/generate", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        tokens: list[int] = json.load(answer)["output_ids"]
    return tokens


def read(address: str) -> str:
    """What is served there."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def samples(text: str) -> dict[str, float]:
    """The samples of metrics in Prometheus' text form that are not 0."""
    rows = [line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in rows if float(value)}


def listener(launcher: int, port: int) -> str:
    """The title of the process below a launcher that listens on a port."""
    for process in psutil.Process(launcher).children(recursive=True):
        if any(each.laddr.port == port for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN):
            return process.cmdline()[0]
    return ""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port
