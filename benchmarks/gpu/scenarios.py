"""The scenarios: which server is asked what, with which hook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from benchmarks.gpu.asked import Ablated, Abort, Decided, Flips, Held, Late, Prompt, Stage, Steering, alike
from benchmarks.gpu.servers import Algorithm, Server


class Kind(Enum):
    """What a scenario is there to show. The values are words of the command line."""

    TOKENS = "tokens"
    STEPS = "steps"
    THROUGHPUT = "throughput"


class Variant(Enum):
    """How the hook makes an off step. The values are the hook's."""

    ONE_TOKEN = "one-token"
    DUMMY_DRAFT = "dummy-draft"


class Fault(Enum):
    """What is wrong in a scenario that must not pass."""

    PACKED = "tokens packed without the stride of their rows"
    STALE = "the draft's KV not kept in step, and its state not rebuilt"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One server and its stages."""

    name: str
    kind: Kind
    server: Server
    stages: tuple[Stage, ...]
    hook: Variant | None = None
    fault: Fault | None = None

    @property
    def keeps_tokens(self) -> bool:
        """Whether the tokens are what matters."""
        return self.kind is Kind.TOKENS


# Tokens: small models, everything that can happen to a request, flips by chance.

STANDALONE = Server("small", Algorithm.STANDALONE, "small", n_steps=3)
EAGLE = Server("small", Algorithm.EAGLE, "small-eagle")
EAGLE3 = Server("small-deep", Algorithm.EAGLE3, "small-eagle3")
ACCEPTING = Server("small-permuting", Algorithm.EAGLE, "small-eagle-passing", n_steps=4)
SPECULATING = {"standalone": STANDALONE, "eagle": EAGLE, "eagle3": EAGLE3, "accepting": ACCEPTING}
PLAIN = {target: Server(target, Algorithm.NONE) for target in ("small", "small-deep", "small-permuting")}
N_SCHEDULES = 4
N_TIGHT = 12  # schedules: about one request is taken out in each, while on or while off
TIGHT_POOL = 900  # slots: eight requests of 210 tokens do not fit in


def _mixed(seed: int, steering: Steering) -> Stage:
    """Ten requests of several lengths; two come late, one is aborted, one ends after three tokens."""
    sizes = ((20, 60), (9, 30), (33, 150), (5, 3), (17, 72), (40, 48), (70, 110), (24, 66))
    return Stage(
        f"mixed-{seed}",
        tuple(Prompt(n_prompt, n_tokens, 100 * seed + place) for place, (n_prompt, n_tokens) in enumerate(sizes)),
        steering,
        late=(Late(6, Prompt(50, 40, 100 * seed + 8)), Late(15, Prompt(300, 40, 100 * seed + 9))),
        aborts=(Abort(12 + seed, 6),),
    )


def _sampled(steering: Steering) -> Stage:
    """Requests with a temperature among greedy ones: nothing is compared, but all must end."""
    warm = tuple(replace(prompt, temperature=0.8) for prompt in alike("warm", 3, 20, 24))
    return Stage("sampled", warm + alike("greedy", 2, 20, 24), steering)


def _tight(seed: int, steering: Steering) -> Stage:
    """More than the pool holds: requests are taken out and come back."""
    name = f"tight-{seed}"
    return Stage(name, alike(name, 8, 60, 150), steering, aborts=(Abort(30, 3),))


def _every_stage(ways: tuple[Steering, ...]) -> tuple[Stage, ...]:
    return (*(_mixed(seed, way) for seed, way in enumerate(ways)), _sampled(ways[0]))


def _flips(first: int, number: int) -> tuple[Steering, ...]:
    """So many schedules, from one that flips in most steps to one that stays in more of them, and again."""
    return tuple(Flips(first + place, stay=0.3 + 0.1 * (place % N_SCHEDULES)) for place in range(number))


def _token_scenarios() -> Iterator[Scenario]:
    for name, server in PLAIN.items():
        yield Scenario(f"plain-{name}", Kind.TOKENS, server, _every_stage((Held.ON,) * N_SCHEDULES))
    for number, (name, server) in enumerate(SPECULATING.items()):
        tight = replace(server, pool=TIGHT_POOL, caution=0.1)
        for variant in Variant:
            title = f"{name}-{variant.value}"
            stages = _every_stage(_flips(10 * number, N_SCHEDULES))
            tight_ones = tuple(map(_tight, range(N_TIGHT), _flips(5 + 10 * number, N_TIGHT)))
            yield Scenario(f"{title}-flips", Kind.TOKENS, server, stages, variant)
            yield Scenario(f"{title}-tight", Kind.TOKENS, tight, tight_ones, variant)
        for way in Held:
            yield Scenario(f"{name}-{way.value}", Kind.TOKENS, server, _every_stage((way,) * N_SCHEDULES), Variant.ONE_TOKEN)
    for fault in Fault:
        title = f"fault-{fault.name.lower()}"
        yield Scenario(title, Kind.TOKENS, STANDALONE, _every_stage(_flips(0, N_SCHEDULES))[:2], Variant.ONE_TOKEN, fault)


# Times: a model of 8B shape, whose draft's tokens are all accepted.

GRAPHS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)
LARGE = Server("8b", Algorithm.NONE, pool=130_000, n_running=128, graphs=GRAPHS, chunk=8192, memory=0.45, filled_in=True)
LARGE_EAGLE = replace(LARGE, algorithm=Algorithm.EAGLE, draft="8b-eagle")
LARGE_STANDALONE = replace(LARGE, algorithm=Algorithm.STANDALONE, draft="8b-standalone", n_steps=4)
N_PROMPT = 64
AT_ONCE = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128)
PROFILED = (1, 32, 128)


def _many(name: str, number: int, n_tokens: int, steering: Steering) -> Stage:
    """So many requests at once."""
    return Stage(f"{name}-{number}", alike(f"{name}-{number}", number, N_PROMPT, n_tokens), steering)


def _warm(steering: Held) -> tuple[Stage, ...]:
    """Compile what is compiled at first use, for few requests and for many."""
    return tuple(_many(f"warm-{steering.value}", number, 24, steering) for number in (4, 128, 1))


def _at_once(name: str, steering: Held) -> tuple[Stage, ...]:
    """Step times at each number of requests; some again, profiled."""
    timed = (_many(name, number, 160, steering) for number in AT_ONCE)
    profiled = (replace(_many(f"{name}-profiled", number, 120, steering), profiled=True) for number in PROFILED)
    return (*_warm(steering), *timed, *profiled)


def _ablations() -> tuple[Stage, ...]:
    """Off steps once more, each with one thing done otherwise, and none beside them, to see how far times wander."""
    ways = (Held.OFF, *Ablated)
    return tuple(_many(f"ablated-{way.value}", number, 160, way) for number in PROFILED for way in ways)


def _step_scenarios() -> Iterator[Scenario]:
    yield Scenario("steps-plain", Kind.STEPS, LARGE, _at_once("plain", Held.ON))
    stages = (*_at_once("on", Held.ON), *_at_once("off", Held.OFF), *_ablations())
    yield Scenario("steps-eagle", Kind.STEPS, LARGE_EAGLE, stages, Variant.ONE_TOKEN)


# Throughput: as many requests at once as the ramp says, under the policy and held.

UP = (1, 2, 4, 8, 16, 32, 48, 64, 96)
TOP = 128
FEW, MANY = 16, 96  # requests at once
N_RAMPS = 2
N_TOKENS = 256  # of each request, of fewer than MANY
Ways = tuple[Held | Decided, ...]


@dataclass(frozen=True, slots=True)
class Ramp:
    """1 to 128 requests at once and back. At each place all ways run in turn, `n_bursts` times where requests are few: the times
    of a host wander by a tenth within seconds, so what is compared runs side by side.
    """

    ways: Ways
    n_bursts: int
    n_tokens_of_many: int

    def stages(self, number: int) -> Iterator[Stage]:
        """The stages of one ramp, which is the so many-th."""
        for place, n_requests in enumerate((*UP, TOP, *reversed(UP))):
            for burst in range(self._bursts(n_requests)):
                turn = number * self.n_bursts + burst
                for way in self.ways if turn % 2 == 0 else reversed(self.ways):
                    yield _many(f"{way.value}-{turn}-{place:02}", n_requests, self._length(n_requests), way)

    def _bursts(self, n_requests: int) -> int:
        return 1 if n_requests >= MANY else self.n_bursts - (n_requests > FEW)

    def _length(self, n_requests: int) -> int:
        return self.n_tokens_of_many if n_requests >= MANY else N_TOKENS


def _ramps(ramp: Ramp) -> tuple[Stage, ...]:
    """What is compiled at first use is compiled before."""
    return (*_warm(Held.ON), *_warm(Held.OFF), *(stage for number in range(N_RAMPS) for stage in ramp.stages(number)))


def _throughput_scenarios() -> Iterator[Scenario]:
    """96 and 128 are held for half a minute of each ramp, where it matters that they are off."""
    contested = Ramp((Decided.BY_POLICY, Held.ON, Held.OFF), 3, 768)
    one_sided = Ramp((Decided.BY_POLICY, Held.ON), 4, 256)
    yield Scenario("ramp-eagle", Kind.THROUGHPUT, LARGE_EAGLE, _ramps(contested), Variant.ONE_TOKEN)
    yield Scenario("ramp-standalone", Kind.THROUGHPUT, LARGE_STANDALONE, _ramps(one_sided), Variant.ONE_TOKEN)


SCENARIOS = {each.name: each for make in (_token_scenarios, _step_scenarios, _throughput_scenarios) for each in make()}
