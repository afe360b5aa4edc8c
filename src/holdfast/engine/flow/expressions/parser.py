"""Tokens into expressions: precedence climbing, with a bound on how deep anything nests."""

from collections.abc import Callable
from typing import Final, TypeVar

from holdfast.engine.flow.expressions.failures import ExpressionSyntaxError
from holdfast.engine.flow.expressions.lexer import END, Token, next_token, text_of
from holdfast.engine.flow.expressions.library import FUNCTIONS
from holdfast.engine.flow.expressions.operators import BINARY, LARGEST_INTEGER
from holdfast.engine.flow.expressions.syntax import (
    ROOTS,
    Binary,
    Call,
    Choice,
    Either,
    Expression,
    Fallback,
    Key,
    ListOf,
    Literal,
    Negation,
    NodeOutput,
    Not,
    ObjectOf,
    Root,
)
from holdfast.engine.flow.problems import hint

T = TypeVar("T")

MAX_LENGTH: Final = 20_000
MAX_DEPTH: Final = 60
MAX_PARTS: Final = 5_000

WORDS: Final = {"true": True, "false": False, "null": None}
PRECEDENCE: Final = {
    "or": 1, "||": 1, "and": 2, "&&": 2,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "in": 4, "not in": 4,
    "??": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip
NOT_PRECEDENCE: Final = 3
COMPARISON: Final = 4
UNARY_PRECEDENCE: Final = 8


def parse(source: str) -> Expression:
    """The expression that the whole text is."""
    parser = Parser(source, 0)
    expression = parser.expression()
    if parser.token.kind != END:
        raise parser.unexpected("the expression should end here")
    return expression


class Parser:
    """Reads one expression from a position on."""

    def __init__(self, source: str, position: int) -> None:
        if len(source) > MAX_LENGTH:
            raise ExpressionSyntaxError(f"is longer than {MAX_LENGTH:,} characters", source, 0)
        self.source = source
        self.token, self._after = next_token(source, position)
        self._depth = 0
        self._parts = 0

    def closing_braces(self) -> int:
        """Where the text goes on behind the }} that must stand here."""
        end = self.token.position + 2
        if self.source[self.token.position : end] != "}}":
            raise self.unexpected("}}")
        return end

    def expression(self) -> Expression:
        """A whole expression, `? :` and all."""
        return self._nested(self._choice)

    def _nested(self, read: Callable[[], Expression]) -> Expression:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionSyntaxError(f"nests deeper than {MAX_DEPTH} levels", self.source, self.token.position)
        expression = read()
        self._depth -= 1
        return expression

    def _choice(self) -> Expression:
        condition = self._binary(0)
        if not self._take("?"):
            return condition
        then = self.expression()
        self._expect(":")
        return Choice(condition, then, self.expression())

    def _binary(self, least: int) -> Expression:
        left = self._unary()
        links = 0
        while (sign := self._operator()) and PRECEDENCE[sign] > least:
            links += 1
            if links > MAX_DEPTH:
                raise ExpressionSyntaxError(f"joins more than {MAX_DEPTH} values", self.source, self.token.position)
            for _ in sign.split():
                self._advance()
            right = self._nested(lambda level=PRECEDENCE[sign]: self._binary(level))  # type: ignore[misc]
            left = _joined(sign, left, right)
            if PRECEDENCE[sign] == COMPARISON and PRECEDENCE.get(self._operator()) == COMPARISON:
                raise ExpressionSyntaxError(
                    "comparisons do not chain; join them with and", self.source, self.token.position
                )
        return left

    def _operator(self) -> str:
        if self.token.kind == "name" and self.token.text == "not":
            following, _ = next_token(self.source, self._after)
            return "not in" if following.text == "in" else ""
        if self.token.kind in ("sign", "name") and self.token.text in PRECEDENCE:
            return self.token.text
        return ""

    def _unary(self) -> Expression:
        if self._take("-"):
            return Negation(self._nested(lambda: self._binary(UNARY_PRECEDENCE)))
        if self._take("!"):
            return Not(self._nested(lambda: self._binary(UNARY_PRECEDENCE)))
        if self.token.kind == "name" and self.token.text == "not":
            self._advance()
            return Not(self._nested(lambda: self._binary(NOT_PRECEDENCE)))
        return self._postfix()

    def _postfix(self) -> Expression:
        value = self._primary()
        links = 0
        while self.token.text in (".", "[") and self.token.kind == "sign":
            links += 1
            if links > MAX_DEPTH:
                raise ExpressionSyntaxError(f"looks up more than {MAX_DEPTH} keys", self.source, self.token.position)
            if self._take("."):
                value = Key(value, Literal(self._take_name("the name of a field")))
            else:
                self._advance()
                value = Key(value, self.expression())
                self._expect("]")
        return value

    def _primary(self) -> Expression:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise ExpressionSyntaxError(f"has more than {MAX_PARTS:,} parts", self.source, self.token.position)
        token = self.token
        match token.kind:
            case "number":
                self._advance()
                return Literal(self._number(token))
            case "text":
                self._advance()
                return Literal(text_of(token, self.source))
            case "reference":
                self._advance()
                return self._reference(token)
            case "name":
                self._advance()
                return self._word(token)
            case _:
                return self._bracketed()

    def _number(self, token: Token) -> int | float:
        if token.text.isdigit():
            if len(token.text) > 19 or int(token.text) > LARGEST_INTEGER:
                raise ExpressionSyntaxError("a whole number of more than 64 bits", self.source, token.position)
            return int(token.text)
        value = float(token.text)
        if value == float("inf"):
            raise ExpressionSyntaxError("a number that is too large", self.source, token.position)
        return value

    def _reference(self, token: Token) -> Expression:
        name = token.text[1:]
        if name:
            return Root(name) if name in ROOTS else NodeOutput(name)
        self._expect("[", 'a name: $Name, or $["A name"]')
        quoted = self.token
        if quoted.kind != "text":
            raise self.unexpected('the name of a node in quotes: $["A name"]')
        self._advance()
        self._expect("]")
        return NodeOutput(text_of(quoted, self.source))

    def _word(self, token: Token) -> Expression:
        if self._take("("):
            return self._call(token)
        if token.text in WORDS:
            return Literal(WORDS[token.text])
        near = hint(f"${token.text}", [f"${root}" for root in ROOTS])
        raise ExpressionSyntaxError(
            f"{token.text!r} is no value: a reference begins with $, a text stands in quotes{near}",
            self.source,
            token.position,
        )

    def _call(self, token: Token) -> Expression:
        function = FUNCTIONS.get(token.text)
        if function is None:
            near = hint(token.text, FUNCTIONS)
            raise ExpressionSyntaxError(f"there is no function {token.text}(){near}", self.source, token.position)
        arguments = self._until(")", self.expression)
        problem = function.arity_problem(token.text, len(arguments))
        if problem:
            raise ExpressionSyntaxError(problem, self.source, token.position)
        return Call(token.text, function, tuple(arguments))

    def _bracketed(self) -> Expression:
        if self._take("("):
            inner = self.expression()
            self._expect(")")
            return inner
        if self._take("["):
            return ListOf(tuple(self._until("]", self.expression)))
        if self._take("{"):
            return ObjectOf(tuple(self._until("}", self._field)))
        raise self.unexpected("a value")

    def _field(self) -> tuple[str, Expression]:
        if self.token.kind == "text":
            key = text_of(self.token, self.source)
            self._advance()
        else:
            key = self._take_name("the name of a field")
        self._expect(":")
        return key, self.expression()

    def _until(self, closing: str, read: Callable[[], T]) -> list[T]:
        found: list[T] = []
        while not self._take(closing):
            if found:
                self._expect(",", f", or {closing}")
            found.append(read())
        return found

    def _advance(self) -> None:
        self.token, self._after = next_token(self.source, self._after)

    def _take(self, sign: str) -> bool:
        if self.token.kind != "sign" or self.token.text != sign:
            return False
        self._advance()
        return True

    def _take_name(self, what: str) -> str:
        if self.token.kind != "name":
            raise self.unexpected(what)
        name = self.token.text
        self._advance()
        return name

    def _expect(self, sign: str, what: str = "") -> None:
        if not self._take(sign):
            raise self.unexpected(what or sign)

    def unexpected(self, wanted: str) -> ExpressionSyntaxError:
        """The error for a token that should be something else."""
        found = "the end" if self.token.kind == END else repr(self.token.text)
        return ExpressionSyntaxError(f"expected {wanted}, found {found}", self.source, self.token.position)


def _joined(sign: str, left: Expression, right: Expression) -> Expression:
    match sign:
        case "??":
            return Fallback(left, right)
        case "or" | "||":
            return Either(left, right, until=True)
        case "and" | "&&":
            return Either(left, right, until=False)
        case _:
            return Binary(left, right, BINARY[sign])
