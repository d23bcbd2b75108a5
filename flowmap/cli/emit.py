"""`flowmap emit`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, opened, remark, write
from flowmap.cli.asked import NAME, Asked, takes_common_options
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode, FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.emit.emission import Hooked, Order
    from flowmap.model.emit import Emission, Recipe
    from flowmap.model.source import OpenedSource, SubjectChoice
    from flowmap.query.files import QueryFile
    from flowmap.query.release import Release
    from flowmap.store.index import Index


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="[NAME|FILE]", required=False)
@click.option("--variant", default="", metavar="NAME", help="Which of the recipe's variants; default: its first.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="The folder of the package; default: ./NAME.",
)
@click.option("--release", "version", default="", metavar="VERSION", help="Of a folder or a fork: the release that it is.")
@click.option("--list", "is_list", is_flag=True, help="The recipes that have names.")
@takes_common_options
def emit(asked: Asked, name: str | None, *, variant: str, folder: str | None, version: str, is_list: bool) -> int:
    """Emit a package that leans on a code base, bound to one release of it: code, tests, and a list of all that it relies on.

    NAME is a recipe in `queries/emit/`, shipped or yours; FILE is one of your own. Every symbol that the package uses is looked
    up in the release; every obligation of the place where it hooks in (`flowmap hooks`) is met by its code or named as a limit.
    Where something moved, or nobody meets an obligation, nothing is written, all reasons are said and the exit code is 1. DIR
    must be new, or what this recipe wrote before.

    \b
    Examples:
      flowmap emit --list
      flowmap emit adaptive-disable -o hook
      flowmap emit adaptive-disable --source pypi:NAME==VERSION --variant dummy-draft
      flowmap emit my-recipe.toml --source ./checkout --release 1.4
    """
    from flowmap.emit.recipe import read_recipe
    from flowmap.query.files import RECIPES, file_on

    choice = chosen(asked)
    if is_list:
        _list(asked, choice)
        return int(ExitCode.DONE)
    if name is None:
        raise click.UsageError("Name a recipe: `flowmap emit --list` lists those that have names.")
    file = file_on(RECIPES, name, choice.config)
    wish = _Wish(read_recipe(file), file, variant, version, folder or file.name)
    return _written(asked, _emission(asked, choice, wish), wish)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the user asks for: a recipe with its file, a variant, a release, "" for what is not named, and the folder."""

    recipe: Recipe
    file: QueryFile
    variant: str
    version: str
    folder: str


def _list(asked: Asked, choice: SubjectChoice) -> None:
    from flowmap.emit.recipe import read_recipe
    from flowmap.query.files import RECIPES, files_on
    from flowmap.reports.emit import listed

    write(asked, listed([read_recipe(file) for file in files_on(RECIPES, choice.config).values()]))


def _emission(asked: Asked, choice: SubjectChoice, wish: _Wish) -> Emission:
    """The package, or why there is none. What is wrong with the question is said before anything is indexed."""
    from flowmap.cli.progress import progress_for
    from flowmap.emit.emission import emission, ordered, unanswered
    from flowmap.emit.folder import check_folder
    from flowmap.emit.ground import Ground
    from flowmap.releases import compared

    source = _opened(asked, choice)
    release = _release(wish, source)
    order = ordered(wish.recipe, wish.file, release, wish.variant)
    check_folder(Path(wish.folder), wish.recipe.name)
    index = opened(asked, choice) if order.variant else None
    hooked = _hooked(asked, choice, index, order) if index else None
    with compared(choice.sources, asked.excludes, progress_for(asked.voice)) as releases:
        line = releases.line
        ground = Ground(source, release, line.ledger, line.releases[0], index)
        made = unanswered(ground, order, hooked) if isinstance(hooked, FlowmapError) else emission(ground, order, hooked)
    return _explained(asked, choice, made) if made.refusals else made


def emission_shown(asked: Asked, choice: SubjectChoice, name: str, index: Index) -> Emission:
    """What a recipe emits, for a page: bound by an index that is there, without what it owes under a profile. A source that does
    not tell its release is taken for the one that the recipe was written beside.

    Errors: FlowmapError when there is no such recipe, or it has nothing for the release.
    """
    from flowmap.cli.progress import progress_for
    from flowmap.emit.emission import emission, ordered
    from flowmap.emit.ground import Ground
    from flowmap.emit.recipe import read_recipe
    from flowmap.query.files import RECIPES, file_on
    from flowmap.query.release import release_of
    from flowmap.releases import compared

    file = file_on(RECIPES, name, choice.config)
    source, recipe = _opened(asked, choice), read_recipe(file)
    wish = _Wish(recipe, file, "", "" if release_of(source.label) else recipe.written_for, "")
    release = _release(wish, source)
    order = ordered(recipe, file, release, "")
    with compared(choice.sources, asked.excludes, progress_for(asked.voice)) as releases:
        line = releases.line
        return emission(Ground(source, release, line.ledger, line.releases[0], index), order, None)


def _opened(asked: Asked, choice: SubjectChoice) -> OpenedSource:
    """The files of the release. Errors: FlowmapError where several sources are named: a package is bound to one."""
    from flowmap.cli.progress import progress_for
    from flowmap.source.open import open_source

    if len(choice.sources) != 1:
        raise FlowmapError(
            Problem(", ".join(choice.sources), "are several sources", "A package is bound to one: --source SOURCE.")
        )
    return open_source(choice.sources[0], choice.excludes, progress_for(asked.voice))


def _release(wish: _Wish, source: OpenedSource) -> Release:
    """The release that is meant. Errors: FlowmapError where it is not known, or is one of another project."""
    from packaging.utils import canonicalize_name

    from flowmap.query.release import Release, is_of_another, release_of, version_in

    about, asker = wish.recipe.about, f"emit {wish.recipe.name}"
    told = release_of(source.label)
    if is_of_another(about, told):
        fix = f"--source pypi:{about}==VERSION"
        raise FlowmapError(Problem(asker, f"is about {about}, and this is {source.label}", fix))
    if wish.version:
        version = version_in(wish.version)
        if version is None:
            raise FlowmapError(Problem(f"--release {wish.version}", "is no version", "Write it as `--release 1.2.3`."))
        return Release(told.project if told else canonicalize_name(about or source.label), version)
    if told is None:
        fix = "Say which release it is, or is a fork of: --release VERSION."
        raise FlowmapError(Problem(source.label, "nothing tells which release this is", fix))
    return told


def _hooked(asked: Asked, choice: SubjectChoice, whole: Index, order: Order) -> Hooked | FlowmapError:
    """The hook report under the profile of the variant, and the contracts, or why this release has no such report. What is wrong
    with their files is said first.
    """
    from flowmap.contracts.read import read_contracts
    from flowmap.emit.emission import Hooked
    from flowmap.hooks.answer import hook_points
    from flowmap.hooks.read import question_file, read_question
    from flowmap.query.files import CONTRACTS, file_on
    from flowmap.subject.profiles import load_profile

    recipe = order.recipe
    question = read_question(question_file(recipe.hooks, choice.config))
    contracts = read_contracts(file_on(CONTRACTS, recipe.contracts, choice.config)) if recipe.contracts else None
    profile = order.variant.profile if order.variant else ""
    if profile:
        load_profile(profile, choice.config)
    try:
        index = opened(dataclasses.replace(asked, profile=profile), choice) if profile else whole
        return Hooked(hook_points(index, whole, question), contracts)
    except FlowmapError as error:
        return error


def _explained(asked: Asked, choice: SubjectChoice, made: Emission) -> Emission:
    """The refusals with what became of the anchors since the release that the recipe was written beside, if that can be had."""
    from flowmap.cli.progress import progress_for
    from flowmap.emit.moved import explained
    from flowmap.releases import compared

    recipe = made.recipe
    named = {one.subject for one in made.refusals} & {one.name for one in recipe.anchors}
    if not named or not recipe.written_for or not recipe.about:
        return made
    sources = (f"pypi:{recipe.about}=={recipe.written_for}", *choice.sources)
    if made.binding.source == sources[0]:
        return made  # no fork of it, but that release
    with compared(sources, asked.excludes, progress_for(asked.voice)) as releases:
        remark(asked, *map(str, releases.problems))
        if len(releases.labels) < len(sources):
            return made
        told = explained(made.refusals, recipe.anchors, releases.line, (f"{recipe.about} {recipe.written_for}", ""))
    return dataclasses.replace(made, refusals=told)


def _written(asked: Asked, made: Emission, wish: _Wish) -> int:
    from flowmap.emit.folder import write_folder
    from flowmap.reports.emit import emit as report
    from flowmap.reports.emit import refused

    if made.refusals:
        write(asked, refused(made))
        return int(ExitCode.FINDING)
    write_folder(Path(wish.folder), wish.recipe.name, made.files)
    write(asked, report(made, wish.folder, asked.detail))
    return int(ExitCode.DONE)
