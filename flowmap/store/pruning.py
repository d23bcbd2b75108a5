"""What a configuration keeps from running: the rows of a configured index, beside those of the whole subject.

A site or target of the whole subject that the configured index lacks is kept there as pruned, with the guard that decides.
A function that nothing reaches any longer, though something reached it before, is pruned with all its sites.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowmap.model.decision import Decided, Decisions
from flowmap.model.literals import Position
from flowmap.model.program import DefinitionKind, Status
from flowmap.store.index import Index
from flowmap.store.write import IndexTables

Row = tuple[Any, ...]
SiteKey = tuple[Any, ...]  # file, line, col, end line, end col, kind, name, caller, which of several alike
Edge = tuple[SiteKey, str]
RUNS_BY_ITSELF = (DefinitionKind.MODULE.value, DefinitionKind.CLASS.value)
FIRST_RECEIVES = "(self"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file that a decided test keeps from running."""

    start: tuple[int, int]
    end: tuple[int, int]
    test: Position


Regions = Mapping[str, Sequence[Region]]  # by path


@dataclass(frozen=True, slots=True)
class Why:
    """The guard that decides, and how."""

    file: str
    line: int
    what: str


@dataclass(slots=True)
class Graph:
    """The sites of an index and what they run, by texts and places, which the two indexes share."""

    sites: dict[SiteKey, Row] = field(default_factory=dict)
    callers: dict[SiteKey, str] = field(default_factory=dict)
    targets: dict[SiteKey, dict[str, tuple[str, int | None]]] = field(default_factory=dict)  # → confidence, first evidence
    kinds: dict[str, str] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)  # from outside the subject
    made: list[tuple[str, SiteKey, int | None]] = field(default_factory=list)  # class, site that makes it, first evidence

    def edges(self) -> Iterator[tuple[str, SiteKey, str]]:
        """(caller, site, target)"""
        for key, targets in self.targets.items():
            for target in targets:
                yield self.callers[key], key, target


def graph_of_tables(tables: Mapping[str, Iterable[Row]]) -> Graph:
    """The graph of an index that is about to be written, or of one that is kept."""
    graph = Graph()
    texts = {row[0]: row[1] for row in tables["symbol"]}
    for number, text, _, kind, _, _, _, _, owner, signature, *_ in tables["symbol"]:
        graph.kinds[text] = kind
        graph.owners[text] = texts.get(owner, "")
        graph.signatures[text] = signature
        assert number in texts, "every symbol has its text"
    graph.entered.update(texts[symbol] for symbol, _ in tables["entry"])
    keys: dict[int, SiteKey] = {}
    met: Counter[SiteKey] = Counter()  # a row of a dispatcher's table stands there once for each caller
    for row in tables["site"]:
        place = (row[2], row[3], row[5], row[6], row[7], row[10], row[8], texts[row[1]])
        key = keys[row[0]] = (*place, met[place])
        met[place] += 1
        graph.sites[key] = row
        graph.callers[key] = texts[row[1]]
        graph.targets[key] = {}
    for site, _, symbol, confidence, evidence in tables["target"]:
        graph.targets[keys[site]][texts[symbol]] = (confidence, evidence)
    graph.made = [(texts[cls], keys[site], evidence) for site, _, cls, _, evidence in tables["made"]]
    return graph


def rows_of(index: Index) -> dict[str, list[Row]]:
    """The tables of a kept index that its graph is made of."""
    tables = ("symbol", "site", "target", "evidence", "class_order", "guard_list", "entry", "made")
    return {table: list(index.rows(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in tables}


def pruned_tables(base: Index, tables: IndexTables, decisions: Decisions, regions: Regions) -> IndexTables:
    """The tables of a configured index with what it prunes of the whole subject's."""
    whole = rows_of(base)
    paths = [entry.path for _, entry in sorted(base.files.items())]
    before = graph_of_tables(whole)
    names = ("symbol", "site", "target", "entry", "made")
    after = graph_of_tables({name: list(getattr(tables, name)) for name in names})
    keep_within(after, before)
    reasons = Reasons(before, after, Places(paths, whole["evidence"], decisions, regions), below_of(whole))
    return Merge(whole, before, after, reasons).tables(tables)


def keep_within(after: Graph, before: Graph) -> None:
    """A configuration runs nothing that the whole subject does not: where flow dries up, annotations stand in for it there."""
    for key, targets in after.targets.items():
        if key in before.targets:
            after.targets[key] = {text: how for text, how in targets.items() if text in before.targets[key]}


def below_of(whole: Mapping[str, Sequence[Row]]) -> dict[str, set[str]]:
    """Each class with those that have it in their order."""
    texts = {row[0]: row[1] for row in whole["symbol"]}
    below: defaultdict[str, set[str]] = defaultdict(set)
    for cls, _, symbol in whole["class_order"]:
        below[texts[symbol]].add(texts[cls])
    return below


@dataclass(slots=True)
class Places:
    """What stands where: the parts that do not run, and the steps of evidence."""

    paths: Sequence[str]
    evidence: Sequence[Row]
    decisions: Decisions
    regions: Regions

    def why_at(self, file: int, line: int, col: int) -> Why | None:
        """The guard that keeps a place from running; of nested ones the outermost."""
        path = self.paths[file]
        for region in self.regions.get(path, ()):
            if region.start <= (line, col) < region.end:
                return self.why(path, region.test)
        return None

    def why_of_evidence(self, first: int | None) -> Why | None:
        """The guard that keeps a step of the evidence from running, the nearest one to the target first."""
        while first is not None:
            _, first, file, line, *_ = self.evidence[first]
            if file is not None:
                for region in self.regions.get(self.paths[file], ()):
                    if region.start[0] <= line <= region.end[0]:
                        return self.why(self.paths[file], region.test)
        return None

    def why(self, path: str, test: Position) -> Why:
        """The guard of a decided test."""
        decided: Decided = self.decisions[path][test]
        return Why(path, test[0], str(decided))


class Reasons:
    """Which functions are no longer reached, which classes no longer made, and why a site or a target is gone."""

    def __init__(self, before: Graph, after: Graph, places: Places, below: Mapping[str, set[str]]) -> None:
        self.before = before
        self.after = after
        self.places = places
        self.below = below
        self.incoming: defaultdict[str, list[tuple[str, SiteKey]]] = defaultdict(list)
        for caller, key, target in before.edges():
            self.incoming[target].append((caller, key))
        self.makers: defaultdict[str, list[tuple[SiteKey, int | None]]] = defaultdict(list)
        for cls, key, evidence in before.made:
            self.makers[cls].append((key, evidence))
        self.unmade: set[str] = set()
        self.reached = self.settle()
        self.reached_before = reach(before, self.roots(before), lambda _: True)
        self.known: dict[str, Why | None] = {}

    def roots(self, graph: Graph) -> list[str]:
        """What runs though no call of it is known: modules, class bodies, and functions that nothing in the subject calls."""
        return [
            text
            for text, kind in graph.kinds.items()
            if kind in RUNS_BY_ITSELF or text in graph.entered or (text not in self.incoming and not self.is_of_unmade(text))
        ]

    def settle(self) -> set[str]:
        """What is reached, when methods of classes that are made no longer do not count."""
        for _ in range(MOST_ROUNDS):
            reached = reach(self.after, self.roots(self.after), lambda target: not self.is_of_unmade(target))
            unmade = self.classes_unmade(reached)
            if unmade == self.unmade:
                return reached
            self.unmade = unmade
        return reached

    def classes_unmade(self, reached: set[str]) -> set[str]:
        """The classes that the whole subject makes, and what is reached makes no longer."""
        made = {cls for cls, key, _ in self.after.made if self.after.callers[key] in reached}
        return self.makers.keys() - made

    def is_of_unmade(self, target: str) -> bool:
        """Whether a function is a method of instances that are made no longer, subclasses included."""
        owner = self.before.owners.get(target, "")
        if not self.unmade or owner not in self.below or not self.before.signatures[target].startswith(FIRST_RECEIVES):
            return False
        return owner in self.unmade and not any(cls in self.makers for cls in self.below[owner] - self.unmade)

    def is_dead(self, text: str) -> bool:
        """Whether a function was reached, and is no longer."""
        return text in self.reached_before and text not in self.reached

    def of_site(self, key: SiteKey) -> Why | None:
        """Why a site does not run."""
        return self.places.why_at(key[0], key[1], key[2]) or self.of_function(self.before.callers[key])

    def of_edge(self, key: SiteKey, target: str) -> Why | None:
        """Why a site does not run a target; None where no guard decides it."""
        _, first = self.before.targets[key][target]
        return (
            self.places.why_at(key[0], key[1], key[2])
            or self.places.why_of_evidence(first)
            or self.of_class(self.before.owners.get(target, ""))
            or self.of_function(self.before.callers[key])
        )

    def of_class(self, cls: str) -> Why | None:
        """Why a class is made no longer."""
        for key, evidence in self.makers.get(cls, ()) if cls in self.unmade else ():
            why = self.places.why_at(key[0], key[1], key[2]) or self.places.why_of_evidence(evidence)
            if why is not None:
                return why
        return None

    def direct(self, target: str) -> Why | None:
        """The guard that cuts a site which ran a target, or a step of its evidence."""
        for _, key in self.incoming.get(target, ()):
            why = self.places.why_at(key[0], key[1], key[2]) or self.places.why_of_evidence(self.before.targets[key][target][1])
            if why is not None:
                return why
        return None

    def of_function(self, text: str) -> Why | None:
        """Why a function is no longer reached: the nearest guard on a way that led there."""
        level, met = [text], {text}
        while level:
            following: list[str] = []
            for one in level:
                why = self.known.get(one) or self.direct(one) or self.of_class(self.before.owners.get(one, ""))
                if why is not None:
                    self.known[text] = why
                    return why
                following.extend(caller for caller, _ in self.incoming.get(one, ()))
            level = [one for one in dict.fromkeys(following) if one not in met]
            met.update(level)
        return None


MOST_ROUNDS = 8


def reach(graph: Graph, roots: Iterable[str], follows: Callable[[str], bool]) -> set[str]:
    """What the roots run, and what that runs."""
    targets: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for caller, _, target in graph.edges():
        targets[caller][target] = None
    met = set(roots)
    stack = list(met)
    while stack:
        for target in targets.get(stack.pop(), ()):
            if target not in met and follows(target):
                met.add(target)
                stack.append(target)
    return met


class Merge:
    """Puts what is pruned beside what is left."""

    def __init__(self, whole: Mapping[str, list[Row]], before: Graph, after: Graph, reasons: Reasons) -> None:
        self.whole = whole
        self.before = before
        self.after = after
        self.reasons = reasons
        self.whys: dict[Why, int] = {}
        self.pruned: dict[SiteKey, dict[str, Why]] = {}
        self.gone: dict[SiteKey, Why] = {}
        self.kept: dict[SiteKey, list[str]] = {}  # targets that the configured index lacks for no reason that is known

    def tables(self, tables: IndexTables) -> IndexTables:
        """The merged tables. Sites are numbered anew, by place."""
        self.find()
        symbols = Symbols(list(tables.symbol), self.whole["symbol"])
        guards = GuardTexts(list(tables.guard_list), self.whole["guard_list"])
        targets: defaultdict[SiteKey, list[Row]] = defaultdict(list)
        keys = {row[0]: key for key, row in self.after.sites.items()}
        for site, *rest in tables.target:
            key, text = keys[site], symbols.texts[rest[1]]
            if key not in self.gone and text in self.after.targets[key] and text not in self.pruned.get(key, ()):
                targets[key].append(tuple(rest))
        for key, texts in self.kept.items():
            targets[key] += [(-1, symbols.number(text), self.before.targets[key][text][0], None) for text in texts]
        numbers: dict[object, int | None] = {None: None}
        rows = {key: (row[1:], self.after) for key, row in self.after.sites.items()}
        rows.update(
            {key: (guards.moved(self.before.sites[key])[1:], self.before) for key in self.before.sites if key not in rows}
        )
        sites: list[Row] = []
        found: list[Row] = []
        pruned: list[Row] = []
        for number, key in enumerate(sorted(rows, key=lambda key: (*key[:5], str(key[5:])))):
            row, origin = rows[key]
            if key in self.after.sites and key not in self.gone:
                numbers[self.after.sites[key][0]] = number
            caller = row[0] if origin is self.after else symbols.number(self.before.callers[key])
            why = self.gone.get(key)
            status, reason = (Status.PRUNED.value, self.text(why)) if why else self.status(key, row, targets[key])
            rank = self.before.sites.get(key, self.after.sites.get(key))[-1]  # type: ignore[index]
            sites.append((number, caller, *row[1:10], status, reason, *row[12:15], rank))
            found.extend((number, position, *target[1:]) for position, target in enumerate(targets[key]))
            pruned.extend((number, symbols.number(text), self.number(one)) for text, one in self.pruned.get(key, {}).items())
        fields = {name: getattr(tables, name) for name in IndexTables.__slots__}
        fields |= {"symbol": symbols.rows, "guard_list": guards.rows, "site": sites, "target": found, "pruned": pruned}
        fields |= {name: moved(getattr(tables, name), numbers) for name in ("stopped", "widened", "made")}
        fields |= {"why": [(number, why.file, why.line, why.what) for why, number in self.whys.items()]}
        return IndexTables(**fields)

    def status(self, key: SiteKey, row: Row, targets: Sequence[Row]) -> tuple[str, str]:
        """The status of a site that runs; all of whose targets may be pruned."""
        if row[10] == Status.RESOLVED.value and not targets and self.pruned.get(key):
            return Status.PRUNED.value, self.text(next(iter(self.pruned[key].values())))
        status = Status.RESOLVED.value if key in self.kept else row[10]
        return status, "" if key in self.kept else row[11]

    def find(self) -> None:
        """Compares the graphs. What is gone without a guard that decides it is not pruned: it stays."""
        reasons = self.reasons
        for key, targets in self.before.targets.items():
            if key not in self.after.sites or reasons.is_dead(self.before.callers[key]):
                why = reasons.of_site(key)
                if why is not None:
                    self.gone[key] = why
            left = {} if key in self.gone else self.after.targets.get(key, {})
            lost = [text for text in targets if text not in left or reasons.is_of_unmade(text)]
            for text in lost:
                self.lose(key, text)

    def lose(self, key: SiteKey, text: str) -> None:
        """A target that a site no longer runs."""
        why = self.gone.get(key) or self.reasons.of_edge(key, text)
        is_inside = not text.startswith("ext:")
        if why is not None and is_inside:
            self.pruned.setdefault(key, {})[text] = why
        elif why is None and is_inside and text not in self.after.targets.get(key, {}):
            self.kept.setdefault(key, []).append(text)

    def number(self, why: Why) -> int:
        """The number of a reason."""
        return self.whys.setdefault(why, len(self.whys))

    @staticmethod
    def text(why: Why) -> str:
        """A reason in one line."""
        return f"{why.file}:{why.line}: {why.what}"


def moved(rows: Iterable[Row], numbers: Mapping[object, int | None]) -> list[Row]:
    """Rows that begin with a site, with its new number; those of sites that are gone left out."""
    return [(numbers[row[0]], *row[1:]) for row in rows if row[0] in numbers]


class Symbols:
    """The symbols of the configured index, and those of the whole subject that it lacks."""

    def __init__(self, rows: list[Row], whole: Sequence[Row]) -> None:
        self.rows = rows
        self.texts = {row[0]: row[1] for row in rows}
        self.numbers: dict[str, int] = {row[1]: row[0] for row in reversed(rows)}
        self.whole = {row[1]: row for row in whole}
        self.whole_texts = {row[0]: row[1] for row in whole}

    def number(self, text: str) -> int:
        """The number of a symbol; one that is lacking is taken over."""
        if text not in self.numbers:
            row = self.whole[text]
            self.numbers[text] = number = len(self.rows)
            self.rows.append((number,))  # holds the place while the owner is asked for
            owner = None if row[8] is None else self.number(self.whole_texts[row[8]])
            self.rows[number] = (number, *row[1:8], owner, *row[9:])
        return self.numbers[text]


class GuardTexts:
    """The lists of guards of the configured index, and those of the whole subject that it lacks."""

    def __init__(self, rows: list[Row], whole: Sequence[Row]) -> None:
        self.rows = rows
        self.numbers: dict[str, int] = {texts: number for number, texts in rows}
        self.whole: dict[int, str] = dict(whole)

    def moved(self, site: Row) -> Row:
        """A site of the whole subject with the numbers that its guards have here."""
        return (*site[:13], *(self.number(self.whole[one]) for one in site[13:16]), site[16])

    def number(self, texts: str) -> int:
        """The number of a list."""
        if texts not in self.numbers:
            self.numbers[texts] = len(self.rows)
            self.rows.append((self.numbers[texts], texts))
        return self.numbers[texts]
