"""The arrows for one configuration: the whole subject is solved, its tests are decided, and what is left is solved again."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flowmap.configure.decide import decide
from flowmap.extract.deep import room_for_deep_trees
from flowmap.extract.extract import extract
from flowmap.extract.outline import FileOutlines
from flowmap.gather import collector_off, gather_facts
from flowmap.kept import index_path, label_of, locations_of, open_kept, open_subject
from flowmap.link.link import link
from flowmap.model.assumption import Configuration
from flowmap.model.decision import Decisions
from flowmap.model.facts import FileFacts
from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.model.source import OpenedSource, SourceFile, SubjectChoice
from flowmap.pipeline import Texts, keep_index, make_index, tables_for
from flowmap.solve.solve import Options, solve
from flowmap.source.read import read_bytes
from flowmap.store.index import Index
from flowmap.store.pruning import Region, Regions, pruned_tables
from flowmap.store.write import IndexTables
from flowmap.stubs import read_stub


def open_configured(choice: SubjectChoice, configuration: Configuration, progress: Progress) -> Index:
    """The index of a subject in one configuration, made and kept where it is not there yet.

    Errors: FlowmapError when an assumption matches nothing of the subject.
    """
    opened = open_subject(choice, progress)
    kept = open_kept(opened, configuration)
    if kept is not None:
        return kept
    base = open_kept(opened) or make_index(opened, progress)
    tables = configured_tables(opened, configuration, (base, progress))
    label = label_of(opened, configuration)
    return keep_index(tables, index_path(opened, configuration), label, locations_of(opened))


def configured_tables(opened: OpenedSource, configuration: Configuration, beside: tuple[Index, Progress]) -> IndexTables:
    """The rows of the index of one configuration; `beside` is the index of the whole subject, and who hears of the progress."""
    base, progress = beside
    with collector_off():
        facts = gather_facts(opened.files, progress)
        progress.start(f"deciding under {configuration.name}", 0)
        decisions = decisions_of(facts, opened, configuration)
        gc.collect()  # the solved whole, of which the decisions are all that is needed
        left = [specialised(one, decisions) for one in zip_files(facts, opened.files)]
        tables = tables_for(solve(link(left), Options(hints=opened.hints, read_stub=read_stub)), opened)
        merged = pruned_tables(base, tables, decisions, regions_of(left))
        progress.finish()
    return with_meta(merged, configuration, decisions)


def decisions_of(facts: Sequence[FileFacts], opened: OpenedSource, configuration: Configuration) -> Decisions:
    """How the tests of the subject come out."""
    texts = Texts({file.path: file for file in opened.files})
    state = solve(link(facts), Options(hints=opened.hints, read_stub=read_stub))
    try:
        with room_for_deep_trees():
            return decide(state, lambda path: FileOutlines(texts.of(path), path), configuration.assumptions)
    except FlowmapError as error:
        if len(error.problems) < len(configuration.assumptions) or len(error.problems) == 1:
            raise
        what = f"is of another code base: nothing that it assumes is in {opened.label}"
        raise FlowmapError(Problem(configuration.name, what, "Name one that is made for it, or leave out --profile.")) from error


@dataclass(frozen=True, slots=True)
class Extracted:
    """A file and its facts."""

    file: SourceFile
    facts: FileFacts


def zip_files(facts: Sequence[FileFacts], files: Sequence[SourceFile]) -> list[Extracted]:
    """Each file with its facts, in the order of the files."""
    by_path = {one.path: one for one in facts}
    return [Extracted(file, by_path[file.path]) for file in files]


def specialised(one: Extracted, decisions: Decisions) -> FileFacts:
    """The facts of a file without what does not run; the same facts where nothing in it is decided."""
    decided = decisions.get(one.file.path)
    if not decided:
        return one.facts
    return extract(one.file, read_bytes(one.file), {at: found.outcome for at, found in decided.items()})


def regions_of(facts: Sequence[FileFacts]) -> Regions:
    """The parts of each file that do not run, the outermost first."""
    return {
        one.path: tuple(Region((line, col), (end, end_col), test) for line, col, end, end_col, test in sorted(one.skipped))
        for one in facts
        if one.skipped
    }


def with_meta(tables: IndexTables, configuration: Configuration, decisions: Decisions) -> IndexTables:
    """The same rows, with the configuration told in `meta`, and what of it decides no test."""
    label = f"{tables.meta['source']} under {configuration.name}"
    assumed = "\n".join(f"{one.says}\t{one}" for one in configuration.assumptions)
    deciding = {text for found in decisions.values() for one in found.values() for text in one.because}
    idle = "\n".join(str(one) for one in configuration.assumptions if str(one) not in deciding and not one.says)
    told = {"source": label, "assumed": assumed, "configuration": configuration.name, "idle": idle}
    return replace(tables, meta={**tables.meta, **told})
