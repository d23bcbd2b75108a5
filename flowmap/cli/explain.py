"""`flowmap explain` and `flowmap audit`: why, and what somebody else says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import answer, chosen
from flowmap.cli.asked import Asked, takes_common_options, takes_confidence
from flowmap.cli.commands import Command
from flowmap.model.opinion import Opinion, Second, SiteSpan, nobody
from flowmap.model.program import Confidence

if TYPE_CHECKING:
    from flowmap.model.progress import Progress
    from flowmap.model.view import View
    from flowmap.store.index import Index


@click.command(cls=Command)
@click.argument("place", metavar="FILE:LINE[:COL]")
@click.option("--second-opinion", "asks", flag_value="jedi", default="nobody", help="Ask jedi too; mark what both say.")
@takes_confidence
@takes_common_options
def explain(asked: Asked, place: str, *, asks: str, confidence: str) -> None:
    """Why the call sites on a line may run what they may run: the whole evidence, step by step.

    Where nothing is known it says what is unknown and where that comes from, and where flow was let go because too much came
    together. COL counts from 1 and picks one site of the line.

    \b
    Examples:
      flowmap explain FILE:210
      flowmap explain FILE:210:17                  the site at a column
      flowmap explain FILE:210 --second-opinion    and what jedi says of it
    """
    from flowmap.reports.explain import ExplainQuestion
    from flowmap.reports.explain import explain as report

    def answered(index: Index) -> View:
        second = nobody if asks == "nobody" else jedi_about(asked, index)
        return report(index, ExplainQuestion(place, Confidence(confidence), asked.detail, second))

    answer(asked, answered)


@click.command(cls=Command)
@click.option("--sample", type=click.IntRange(min=1), default=200, show_default=True, metavar="N", help="How many call sites.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Which ones: the same seed draws the same.")
@takes_confidence
@takes_common_options
def audit(asked: Asked, *, sample: int, seed: int, confidence: str) -> None:
    """Compare flowmap with jedi over a sample of the call sites: where they agree, and which of them is silent.

    jedi takes about a tenth of a second a site. Nothing of the code base is imported or run.

    \b
    Examples:
      flowmap audit
      flowmap audit --sample 1000 --seed 7
      flowmap audit -v --format lines           every site, for an editor
    """
    from flowmap.cli.progress import progress_for
    from flowmap.reports.audit import AuditQuestion
    from flowmap.reports.audit import audit as report

    def answered(index: Index) -> View:
        second = counted(jedi_about(asked, index), progress_for(asked.voice))
        return report(index, AuditQuestion(sample, seed, Confidence(confidence), asked.detail, second))

    answer(asked, answered)


def jedi_about(asked: Asked, index: Index) -> Second:
    """jedi, loaded now, and the subject's tree for it to read."""
    from flowmap.cli.progress import progress_for
    from flowmap.kept import open_subject
    from flowmap.opinion.ask import ask_jedi

    return ask_jedi(open_subject(chosen(asked), progress_for(asked.voice)), index.text_lines).opinions


def counted(second: Second, progress: Progress) -> Second:
    """The same opinions, told one by one as they come."""

    def opinions(spans: Sequence[SiteSpan]) -> Iterator[Opinion]:
        progress.start("asking jedi", len(spans))
        for opinion in second(spans):
            progress.advance(1)
            yield opinion
        progress.finish()

    return opinions
