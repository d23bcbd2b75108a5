"""The stubs of the standard library, as the package `typeshed_client` ships them: their texts, and what is kept of them."""

from __future__ import annotations

import contextlib
import os
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from flowmap.source.cache import put_file
from flowmap.source.cache_places import stubs_folder

SHIPPED_BY = "typeshed_client"


@cache
def stub_texts() -> Path:
    """The folder of the stubs. The package itself is not imported: only its files are needed."""
    found = find_spec(SHIPPED_BY)
    assert found is not None, "a dependency of flowmap is installed"
    assert found.submodule_search_locations, "typeshed_client is a package"
    return Path(found.submodule_search_locations[0], "typeshed")


@cache
def top_modules() -> frozenset[str]:
    """The names of all top-level modules and packages of the standard library."""
    with os.scandir(stub_texts()) as entries:
        return frozenset(entry.name.removesuffix(".pyi") for entry in entries if entry.name != "VERSIONS")


def stub_text(module: str) -> tuple[bytes, str] | None:
    """The text of a module's stub, and the package that its relative imports begin at; None where there is none."""
    place = stub_texts().joinpath(*module.split("."))
    package = place / "__init__.pyi"
    if os.path.isfile(package):
        return package.read_bytes(), module
    alone = place.with_suffix(".pyi")
    return (alone.read_bytes(), module.rpartition(".")[0]) if os.path.isfile(alone) else None


def kept_stub(module: str, making: str) -> bytes | None:
    """What was kept of a stub, made in a certain way (`making`) from this version of the stubs; None where nothing was."""
    with contextlib.suppress(OSError):
        return (_kept_in(making) / module).read_bytes()
    return None


def keep_stub(module: str, making: str, content: bytes) -> None:
    """Keeps what was made of a stub. Without effect where nothing can be written."""
    with contextlib.suppress(OSError):
        put_file(_kept_in(making) / module, content)


def _kept_in(making: str) -> Path:
    return stubs_folder() / f"{version_of_stubs()}-{making}"


@cache
def version_of_stubs() -> str:
    """The version of the package that ships the stubs."""
    return version(SHIPPED_BY)
