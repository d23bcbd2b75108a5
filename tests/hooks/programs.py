"""A loop with a worker that drafts, verifies and extends, small enough to know every right answer."""

from __future__ import annotations

LOOP = """\
import torch
from collections import deque
from dataclasses import dataclass

from settings import Settings


class Model:
    def forward(self, batch):
        self.n_passes = 1
        return torch.mul(batch.ids, 2)


class Request:
    def __init__(self):
        self.length = 0
        self.texts = []


class Batch:
    def __init__(self, requests: list[Request]):
        self.requests = requests
        self.ids = None
        self.slots = None
        self.state = None


@dataclass
class State:
    first: object = None
    rest: object = None


@dataclass
class Result:
    tokens: object = None
    accepted: object = None
    state: State = None


class Graph:
    def __init__(self, worker: "Worker"):
        self.worker = worker

    def capture(self):
        self.worker.draft_forward(None)

    def replay(self, batch):
        return batch


def take_slots(batch):
    return torch.empty(len(batch.requests))


class Worker:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.width = settings.width
        self.model = Model()
        self.graph = Graph(self)

    def step(self, batch: Batch) -> Result:
        drafts = self.draft(batch)
        result = self.verify(batch, drafts)
        self.extend(batch, result)
        return result

    def draft(self, batch: Batch):
        if self.settings.graphs:
            return self.graph.replay(batch)
        return self.draft_forward(batch)

    def draft_forward(self, batch: Batch):
        return self.model.forward(batch)

    def verify(self, batch: Batch, drafts) -> Result:
        self.prepare(batch)
        logits = self.model.forward(batch)
        accepted = self.sample(logits)
        return Result(tokens=logits, accepted=accepted, state=State(first=logits))

    def prepare(self, batch: Batch):
        batch.ids = torch.zeros(self.width) + batch.slots

    def sample(self, logits):
        return logits.argmax()

    def extend(self, batch: Batch, result: Result):
        result.state.rest = self.model.forward(batch)


class Loop:
    def __init__(self, settings: Settings):
        self.worker = Worker(settings)
        self.waiting = []
        self.results = deque()
        self.current = Batch([])

    def run(self):
        while True:
            batch = self.next_batch()
            self.fill(batch)
            if batch.is_live():
                result = self.worker.step(batch)
                self.current.state = result.state
                self.results.append((batch, result))
            self.take()

    def next_batch(self) -> Batch:
        return self.current

    def fill(self, batch: Batch):
        batch.slots = take_slots(batch)
        batch.ids = torch.ones(1)

    def take(self):
        batch, result = self.results.popleft()
        self.finish(batch, result)

    def finish(self, batch: Batch, result: Result):
        for request in batch.requests:
            request.length += result.accepted.sum()
            request.texts.append(result.tokens)
        return result.state.rest


def main():
    Loop(Settings()).run()


main()
""".replace(
    "        self.state = None\n\n\n@dataclass",
    """        self.state = None

    def is_live(self):
        return bool(self.requests)


@dataclass""",
    1,
)

SETTINGS = """\
import torch


class Settings:
    def __init__(self):
        self.width = 4
        self.graphs = True


def table(settings: Settings):
    return torch.empty(settings.width)


table(Settings())
"""

PROGRAM = {"loop.py": LOOP, "settings.py": SETTINGS}

QUESTION = """\
question = "Where can drafting and verifying be left out?"
bypass = ["Worker.draft", "Worker.verify"]
entries = ["Loop.run"]
work = ["Model.forward", "Graph.replay"]
records = ["Graph.capture"]
acquires = ["take_slots"]
collectives = ["Model.forward"]
constants = ["Settings.width"]
sizes = ["torch.empty", "torch.zeros"]
results = ["Result.tokens", "Result.accepted"]

[signals]
"batch size" = ["Batch.requests"]
"acceptance" = ["Result.accepted"]
"""
