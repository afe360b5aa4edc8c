"""All functions that expressions may call."""

from collections.abc import Mapping
from typing import Final

from holdfast.engine.flow.expressions.functions.conditions import CONDITIONS
from holdfast.engine.flow.expressions.functions.dates import DATES
from holdfast.engine.flow.expressions.functions.lists import LISTS
from holdfast.engine.flow.expressions.functions.numbers import NUMBERS
from holdfast.engine.flow.expressions.functions.objects import OBJECTS
from holdfast.engine.flow.expressions.functions.texts import TEXTS
from holdfast.engine.flow.expressions.syntax import Function

FAMILIES: Final[Mapping[str, Mapping[str, Function]]] = {
    "Text": TEXTS,
    "Numbers": NUMBERS,
    "Lists": LISTS,
    "Objects and JSON": OBJECTS,
    "Dates": DATES,
    "What is there": CONDITIONS,
}
FUNCTIONS: Final[Mapping[str, Function]] = {name: one for family in FAMILIES.values() for name, one in family.items()}
