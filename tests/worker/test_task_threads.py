"""The threads of plain functions: as many as needed, no more than allowed, and none that holds up the process."""

import threading

import pytest

from holdfast.worker.threads import TaskThreads

WITHIN = 10.0


def threads(limit: int = 2) -> TaskThreads:
    return TaskThreads(limit=limit, name="test-task")


def test_results_and_errors_come_back() -> None:
    pool = threads()
    assert pool.submit(divmod, 7, 3).result(WITHIN) == (2, 1)
    with pytest.raises(SystemExit):
        pool.submit(exit_with, code=3).result(WITHIN)
    pool.shutdown()


def exit_with(code: int) -> None:
    raise SystemExit(code)


def test_an_idle_thread_is_used_again() -> None:
    pool = threads(limit=5)
    idents = set()
    for _ in range(3):
        idents.add(pool.submit(threading.get_ident).result(WITHIN))
        assert pool._idle.acquire(timeout=WITHIN)
        pool._idle.release()
    assert len(idents) == len(pool._threads) == 1
    pool.shutdown()


def test_no_more_run_at_once_than_allowed() -> None:
    pool, gate, begun = threads(limit=2), threading.Event(), threading.Semaphore(0)

    def wait() -> bool:
        begun.release()
        return gate.wait(WITHIN)

    futures = [pool.submit(wait) for _ in range(3)]
    assert begun.acquire(timeout=WITHIN)
    assert begun.acquire(timeout=WITHIN)
    assert not futures[2].running()
    gate.set()
    assert all(future.result(WITHIN) for future in futures)
    assert len(pool._threads) == 2
    pool.shutdown()


def test_what_has_not_begun_is_cancelled_at_the_end() -> None:
    pool, gate, begun = threads(limit=1), threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return gate.wait(WITHIN)

    running, waiting, given_up = pool.submit(wait), pool.submit(wait), pool.submit(wait)
    assert begun.wait(WITHIN)
    given_up.cancel()
    pool.shutdown(wait=False, cancel_futures=True)
    assert waiting.cancelled()
    gate.set()
    assert running.result(WITHIN)
    pool.shutdown()


def test_what_was_given_up_is_not_begun() -> None:
    pool, gate = threads(limit=1), threading.Event()
    first, second = pool.submit(gate.wait, WITHIN), pool.submit(gate.wait, WITHIN)
    second.cancel()
    gate.set()
    assert first.result(WITHIN)
    pool.shutdown()
    assert second.cancelled()


def test_the_process_does_not_wait_for_them() -> None:
    pool = threads()
    pool.submit(int).result(WITHIN)
    assert all(thread.daemon for thread in pool._threads)
    pool.shutdown()
