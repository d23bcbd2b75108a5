"""Which function reads which kind of expression and of statement."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from flowmap.extract.body import Lower, Run
from flowmap.extract.compound import for_, if_, match_, while_, with_
from flowmap.extract.displays import comprehension, dict_, display
from flowmap.extract.expressions import (
    attribute,
    await_,
    boolean,
    conditional,
    constant,
    name,
    starred,
    walrus,
    yield_,
    yield_from,
)
from flowmap.extract.formatted import formatted, formatted_value
from flowmap.extract.functions import class_, function, lambda_
from flowmap.extract.imports import import_, import_from
from flowmap.extract.items import slice_, subscript
from flowmap.extract.made_classes import call_or_class
from flowmap.extract.operators import binary, compare, unary
from flowmap.extract.statements import (
    annotated,
    assert_,
    assignment,
    augmented,
    break_,
    continue_,
    delete,
    expression,
    pass_,
    raise_,
    return_,
    type_alias,
)
from flowmap.extract.trying import try_

EXPRESSIONS: Mapping[type, Lower] = {
    ast.Name: name,
    ast.Constant: constant,
    ast.Attribute: attribute,
    ast.Call: call_or_class,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.List: display,
    ast.Tuple: display,
    ast.Set: display,
    ast.Dict: dict_,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.NamedExpr: walrus,
    ast.JoinedStr: formatted,
    ast.FormattedValue: formatted_value,
    ast.Await: await_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
    ast.Starred: starred,
    ast.Lambda: lambda_,
}
STATEMENTS: dict[type, Run] = {
    ast.Expr: expression,
    ast.Assign: assignment,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Delete: delete,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.Assert: assert_,
    ast.Pass: pass_,
    ast.Global: pass_,
    ast.Nonlocal: pass_,
    ast.Break: break_,
    ast.Continue: continue_,
    ast.If: if_,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.While: while_,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Try: try_,
    ast.TryStar: try_,
    ast.Match: match_,
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
    ast.Import: import_,
    ast.ImportFrom: import_from,
}
if hasattr(ast, "TypeAlias"):  # Python 3.12
    STATEMENTS[ast.TypeAlias] = type_alias
