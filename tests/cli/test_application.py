"""How an app is found, and what is told when it cannot be imported."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.cli.application import Application, app_file, broken_files, load_application, split_target
from holdfast.cli.exits import AppBroken

HEAD = "from holdfast import task, workflow\n"
ONE = HEAD + "@workflow\nasync def run(ctx, n: int) -> int: ...\n@task\ndef step(n: int) -> int: ...\nagain = run\n"


@pytest.fixture(autouse=True)
def modules_and_path_are_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def written(folder: Path, name: str, code: str) -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")
    return str(file)


def names(application: Application) -> list[str]:
    return [each.name for each in (*application.workflows, *application.tasks)]


def refusal(target: str) -> AppBroken:
    with pytest.raises(AppBroken) as caught:
        load_application(target)
    return caught.value


def test_a_file_serves_all_that_is_decorated_once(tmp_path: Path) -> None:
    assert names(load_application(written(tmp_path, "shop_one.py", ONE))) == ["run", "step"]


def test_a_module_is_looked_for_here(tmp_path: Path) -> None:
    written(tmp_path, "shop_two.py", ONE)
    assert names(load_application("shop_two")) == ["run", "step"]


def test_a_file_of_a_package_imports_its_neighbours(tmp_path: Path) -> None:
    written(tmp_path, "shop_three/__init__.py", "")
    written(tmp_path, "shop_three/steps.py", ONE)
    target = written(tmp_path, "shop_three/app.py", "from shop_three.steps import step\n")
    assert names(load_application(target)) == ["step"]


def test_the_file_of_a_folder_itself(tmp_path: Path) -> None:
    assert names(load_application(written(tmp_path, "shop_four/__init__.py", ONE))) == ["run", "step"]


@pytest.mark.parametrize("name", ["queue.py", "shop-five.py"])
def test_names_of_other_modules_and_no_names_do_not_matter(tmp_path: Path, name: str) -> None:
    assert names(load_application(written(tmp_path, name, ONE))) == ["run", "step"]


@pytest.mark.parametrize(
    ("name", "served"), [("run", ["run"]), ("some", ["step"]), ("shop", ["open_shop"]), ("again", ["run"])]
)
def test_a_name_chooses(tmp_path: Path, name: str, served: list[str]) -> None:
    more = "some = [step, 3]\nclass Shop:\n    @task\n    def open_shop(self) -> int: ...\nshop = Shop()\n"
    target = written(tmp_path, f"shop_six_{name}.py", ONE + more)
    assert names(load_application(f"{target}:{name}")) == served


def test_targets_are_taken_apart() -> None:
    assert split_target("app.py:shop") == ("app.py", "shop")
    assert split_target("app.py") == ("app.py", None)
    assert split_target("C:\\app.py") == ("C:\\app.py", None)
    assert app_file("shop.app:main") is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = 1\n", "nothing to run"),
        ("def (\n", "SyntaxError"),
        ("import nowhere_at_all\n", "nowhere_at_all"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        (HEAD + "@task(task_type='a b')\ndef step(): ...\n", "is not a valid id"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, code: str, told: str) -> None:
    assert told in str(refusal(written(tmp_path, "broken_one.py", code)))


def test_only_the_lines_of_the_app_are_told(tmp_path: Path) -> None:
    written(tmp_path, "broken_two.py", "def fail():\n    return 1 // 0\nfail()\n")
    error = refusal(written(tmp_path, "importing_two.py", "import broken_two\n"))
    assert "importlib" not in str(error)
    assert "application.py" not in str(error)
    assert "return 1 // 0" in str(error)
    assert {Path(file).name for file in broken_files(error)} == {"importing_two.py", "broken_two.py"}


def test_a_file_with_wrong_syntax_is_among_the_broken(tmp_path: Path) -> None:
    target = written(tmp_path, "broken_three.py", "def (\n")
    assert broken_files(refusal(target)) == {target}
    assert "broken_three" not in sys.modules


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    target = written(tmp_path, "shop_seven.py", ONE)
    assert "there is no 'nope'" in str(refusal(f"{target}:nope"))
    assert "there is no file" in str(refusal("missing.py"))
    assert broken_files(refusal("missing.py")) == set()
    assert "is not a Python file" in str(refusal(f"./{Path(written(tmp_path, 'notes.txt', '')).name}"))
