"""How statements are expanded for many rows, and how rows are cut to fit."""

import pytest

from holdfast.stores.sqlite.store import STATEMENTS
from holdfast.stores.statements import MAX_PARAMETERS, PAD, SIZES, Statements, sized_chunks


def test_a_statement_is_expanded_to_rows_of_columns() -> None:
    text = Statements(STATEMENTS).sized("add_timers", 5, 2)
    assert "VALUES (?, ?, ?, ?, ?), (?, ?, ?, ?, ?))" in text
    assert "--" not in text


def test_several_questions_become_one_statement() -> None:
    statements = Statements(STATEMENTS)
    assert statements.together(("next_wake", "data_version")) == (
        f"SELECT ({statements['next_wake']}), ({statements['data_version']})"
    )


@pytest.mark.parametrize("count", [1, 5, 100, 512, 513, 3_000])
def test_chunks_hold_all_rows_and_pad_the_rest(count: int) -> None:
    chunks = sized_chunks([(number, "x") for number in range(count)])
    values = [value for size, flat in chunks for value in flat[:: len(flat) // size]]
    assert [value for value in values if value != PAD] == list(range(count))
    assert {size for size, _ in chunks} <= set(SIZES)
    assert all(len(flat) == 2 * size for size, flat in chunks)
    assert len(chunks) == -(-count // SIZES[-1])


def test_no_chunk_has_more_parameters_than_sqlite_takes() -> None:
    chunks = sized_chunks([tuple(range(100))] * 1_000)
    assert max(len(flat) for _, flat in chunks) <= MAX_PARAMETERS
    assert sum(size for size, _ in chunks) >= 1_000
