"""Which definition of one release is which of the next: moved, renamed, both, split, gone, or in doubt."""

from __future__ import annotations

from flowmap.drift.changed import by_symbol
from flowmap.drift.matching import Doubt, How, Matching, Split, match_definitions
from flowmap.extract.sketch import sketch_file
from tests.reading import source_file

RESOLVE = """
        accepted = result.accept_lens.tolist()
        stride = self.draft_worker.num_draft_tokens
        tokens = []
        for i, req in enumerate(batch.reqs):
            tokens.append(result.next_token_ids[i * stride : i * stride + accepted[i]])
            req.spec_verify_ct += 1
        return tokens
"""
STREAM = """
        for req in reqs:
            if req.finished() or req.stream_interval:
                self.sender.send_output(req.rid, req.output_ids, req.finished_reason)
        self.metrics.observe_streamed(len(reqs))
"""
FLUSH = """
        if self.is_idle():
            self.tree_cache.reset()
            self.grammar_queue.clear()
            logger.info("Cache flushed")
        return self.waiting_queue_is_empty
"""


def release(**texts: str) -> dict[str, str]:
    """Modules by name."""
    return texts


def matched(before: dict[str, str], after: dict[str, str]) -> Matching:
    """What became of the definitions of some modules of a package."""
    sides = [
        by_symbol(sketch_file(source_file(f"p/{name}.py"), text.encode()) for name, text in side.items())
        for side in (before, after)
    ]
    return match_definitions(sides[0], sides[1])


def changes(matching: Matching) -> list[tuple[str, How, str]]:
    """All that did not stay where it was."""
    return [(one.before, one.how, one.after) for one in matching.matches if one.how is not How.SAME]


def cls(name: str, **methods: str) -> str:
    """The text of a class."""
    return f"class {name}:\n" + "".join(f"    def {method}(self, batch, result):{body}\n" for method, body in methods.items())


def test_what_keeps_its_symbol_is_the_same_whatever_it_says() -> None:
    """A rewritten body is no other function."""
    matching = matched(release(a=cls("S", resolve=RESOLVE)), release(a=cls("S", resolve=STREAM)))
    assert [one.how for one in matching.matches] == [How.SAME, How.SAME]
    assert matching.gone == matching.new == ()


def test_a_renamed_method_is_found_by_its_body() -> None:
    """Though a line of it changed, too."""
    changed = RESOLVE.replace("self.draft_worker.num_draft_tokens", "result.num_draft_tokens")
    matching = matched(release(a=cls("S", resolve=RESOLVE)), release(a=cls("S", resolve_tokens=changed)))
    assert changes(matching) == [("p.a.S.resolve", How.RENAMED, "p.a.S.resolve_tokens")]


def test_a_new_method_in_place_of_another_is_no_renaming() -> None:
    """Nothing of the body is left."""
    matching = matched(release(a=cls("S", resolve=RESOLVE)), release(a=cls("S", stream=STREAM)))
    assert (matching.gone, matching.new) == (("p.a.S.resolve",), ("p.a.S.stream",))


def test_a_moved_class_takes_its_methods_along() -> None:
    """Even one that was rewritten: it has the name."""
    matching = matched(
        release(a=cls("S", resolve=RESOLVE, stream=STREAM, flush=FLUSH)),
        release(b=cls("S", resolve=RESOLVE, stream="\n        pass\n", flush=FLUSH)),
    )
    assert changes(matching) == [
        ("p.a.S", How.MOVED, "p.b.S"),
        ("p.a.S.flush", How.MOVED, "p.b.S.flush"),
        ("p.a.S.resolve", How.MOVED, "p.b.S.resolve"),
        ("p.a.S.stream", How.MOVED, "p.b.S.stream"),
    ]


def test_moved_and_renamed_at_once() -> None:
    """Class, module and name are others; the body tells."""
    matching = matched(release(a=cls("Mixin", _resolve=RESOLVE)), release(b=cls("Processor", resolve_all=RESOLVE)))
    assert ("p.a.Mixin._resolve", How.MOVED_AND_RENAMED, "p.b.Processor.resolve_all") in changes(matching)


def test_a_mixin_that_became_a_component() -> None:
    """Most of its methods are those of one new class: that is what it became."""
    matching = matched(
        release(a=cls("OutputMixin", resolve=RESOLVE, stream=STREAM)),
        release(b=cls("Streamer", resolve=RESOLVE, stream=STREAM)),
    )
    assert ("p.a.OutputMixin", How.MOVED_AND_RENAMED, "p.b.Streamer") in changes(matching)


def test_a_class_that_was_split() -> None:
    """No class has most of its methods: it is gone, and where they are is told."""
    bodies = [RESOLVE, STREAM, FLUSH]
    matching = matched(
        release(a=cls("Mixin", one=RESOLVE, two=STREAM, three=FLUSH)),
        release(**{f"m{n}": cls(f"Part{n}", **{name: bodies[n]}) for n, name in enumerate(("one", "two", "three"))}),
    )
    assert matching.splits == (Split("p.a.Mixin", (("p.m0.Part0", 1), ("p.m1.Part1", 1), ("p.m2.Part2", 1))),)
    assert "p.a.Mixin" in matching.gone


def test_two_that_are_alike_are_in_doubt() -> None:
    """Nothing tells which of the two it is now, so none is taken."""
    matching = matched(release(a=cls("S", resolve=RESOLVE)), release(b=cls("A", first=RESOLVE), c=cls("B", other=RESOLVE)))
    assert matching.doubts == (Doubt("p.a.S.resolve", ("p.b.A.first", "p.c.B.other")),)
    assert "p.a.S.resolve" in matching.gone


def test_the_name_decides_between_two_that_are_alike() -> None:
    """The one that kept it is taken."""
    matching = matched(release(a=cls("S", resolve=RESOLVE)), release(b=cls("A", resolve=RESOLVE), c=cls("B", other=RESOLVE)))
    assert ("p.a.S.resolve", How.MOVED, "p.b.A.resolve") in changes(matching)
    assert not matching.doubts


def test_two_that_became_one_are_in_doubt() -> None:
    """Only one of them can be it, and nothing tells which."""
    matching = matched(release(b=cls("A", first=RESOLVE), c=cls("B", other=RESOLVE)), release(a=cls("S", resolve=RESOLVE)))
    assert {one.before for one in matching.doubts} == {"p.b.A.first", "p.c.B.other"}


def test_small_bodies_are_like_nothing() -> None:
    """`return None` is everywhere: that two functions say it does not make them the same."""
    matching = matched(release(a="def f():\n    return None\n"), release(a="def g():\n    return None\n"))
    assert (matching.gone, matching.new) == (("p.a.f",), ("p.a.g",))


def test_a_function_is_no_class() -> None:
    """What has the symbol of a class now is another thing."""
    matching = matched(release(a="def Thing():\n    return make()\n"), release(a="class Thing:\n    x = 1\n"))
    assert (matching.matches, matching.gone, matching.new) == ((), ("p.a.Thing",), ("p.a.Thing",))


def test_nothing_against_nothing() -> None:
    """Two empty releases."""
    assert matched({}, {}) == Matching((), (), (), (), ())


def test_a_name_that_many_have_says_little() -> None:
    """With the same bodies, two methods `forward` are less surely one than two that alone have their name."""
    changed = RESOLVE.partition("            req.")[0] + "        self.log.report(batch, self.closing)\n        return None\n"
    others = {f"m{n}": cls(f"Model{n}", forward=STREAM.replace("req", f"item{n}")) for n in range(30)}
    sure = {}
    for name in ("forward", "resolve"):
        matching = matched(release(a=cls("S", **{name: RESOLVE})), release(b=cls("Other", **{name: changed}), **others))
        (sure[name],) = (one.likeness for one in matching.matches)
    assert sure["forward"] < sure["resolve"]
