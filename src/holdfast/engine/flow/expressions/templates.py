"""JSON of a parameter into an expression: text that is a reference or holds `{{ … }}` is read, all else is itself."""

import re
from collections.abc import Mapping
from typing import Final

from holdfast.engine.flow.expressions.failures import ExpressionSyntaxError
from holdfast.engine.flow.expressions.parser import MAX_DEPTH, Parser, parse
from holdfast.engine.flow.expressions.syntax import Braced, Expression, Joined, ListOf, Literal, ObjectOf

OPENING: Final = "{{"
_REFERENCE: Final = re.compile(
    r"""\s*\$(?:[^\W\d]\w*|\[\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])"""
    r"""(?:\s*\.\s*[^\W\d]\w*|\[\s*(?:-?[0-9]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])*\s*\Z"""
)


class TemplateProblem(ValueError):
    """A text in a template is no expression; `path` says which."""

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"{problem} - at `${path}`" if path else problem)


def template(source: object, path: str = "", depth: int = 0) -> Expression:
    """What a JSON value stands for."""
    if depth > MAX_DEPTH:
        raise TemplateProblem(path, f"nests deeper than {MAX_DEPTH} levels")
    if isinstance(source, str):
        try:
            return text_template(source)
        except ExpressionSyntaxError as error:
            raise TemplateProblem(path, str(error)) from error
    if isinstance(source, Mapping):
        fields = [(str(key), template(value, f"{path}.{key}", depth + 1)) for key, value in source.items()]
        if all(value.constant for _, value in fields):
            return Literal(source)
        return ObjectOf(tuple(fields))
    if isinstance(source, list | tuple):
        elements = [template(value, f"{path}[{index}]", depth + 1) for index, value in enumerate(source)]
        return Literal(source) if all(element.constant for element in elements) else ListOf(tuple(elements))
    return Literal(source)


def text_template(source: str) -> Expression:
    """A reference as a whole, or text with `{{ … }}`: one alone keeps its type, others are written into the text."""
    if _REFERENCE.match(source) is not None:
        return parse(source)
    pieces = _pieces(source)
    match [piece for piece in pieces if not (isinstance(piece, Literal) and str(piece.value).isspace())]:
        case []:
            return Literal(source)
        case [Literal()]:
            return Literal(source)
        case [Braced(of)]:
            return Braced(of) if isinstance(of, Literal) else of
        case _:
            return Joined(tuple(pieces))


def _pieces(source: str) -> list[Expression]:
    pieces: list[Expression] = []
    position = 0
    while (opening := source.find(OPENING, position)) >= 0:
        if opening > position:
            pieces.append(Literal(source[position:opening]))
        parser = Parser(source, opening + len(OPENING))
        pieces.append(Braced(parser.expression()))
        position = parser.closing_braces()
    if position < len(source):
        pieces.append(Literal(source[position:]))
    return pieces


def condition(source: object) -> Expression:
    """A text that is an expression with or without braces; or true or false."""
    if isinstance(source, bool):
        return Literal(source)
    if not isinstance(source, str):
        raise TemplateProblem("", "must be an expression, or true or false")
    try:
        return text_template(source) if OPENING in source else parse(source)
    except ExpressionSyntaxError as error:
        raise TemplateProblem("", str(error)) from error
