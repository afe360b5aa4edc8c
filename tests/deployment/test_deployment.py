"""The files in deploy/ and beside it say what the program understands, and nobody runs as root."""

import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from holdfast.cli.program import program

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: each for name, each in SERVICES.items() if each["image"] == "holdfast"}
MANIFESTS: list[dict[str, Any]] = [
    document
    for file in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(file.read_text())
]
DEPLOYMENTS = {each["metadata"]["name"]: each for each in MANIFESTS if each["kind"] == "Deployment"}
DOCKERFILE = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
REST, GRPC = 8233, 8234


def understood(words: list[str]) -> click.Context:
    """The context of the command that these words call, which fails if they are not understood."""
    context = program.make_context("holdfast", list(words))
    while isinstance(group := context.command, click.Group):
        name, command, rest = group.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    return context


def container(deployment: dict[str, Any]) -> dict[str, Any]:
    [only] = deployment["spec"]["template"]["spec"]["containers"]
    return only  # type: ignore[no-any-return]


COMMANDS = [
    *[(name, each["command"]) for name, each in OURS.items() if "command" in each],
    *[(name, container(each)["args"]) for name, each in DEPLOYMENTS.items()],
]


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_is_one_that_the_program_understands(name: str, words: list[str]) -> None:
    context = understood(words)
    if words[0] == "server":
        assert context.params["host"] == "0.0.0.0"
        assert context.params["methods"], "what can be reached from elsewhere asks who is there"
        assert (context.params["rest_port"], context.params["grpc_port"]) == (REST, GRPC)


def options(command: str) -> set[str]:
    return {f"HOLDFAST_{command}_{each.name}".upper() for each in understood([command]).command.params if each.name}


def test_every_variable_is_one_that_the_program_reads() -> None:
    known = {"HOLDFAST_DB", "HOLDFAST_URL", "HOLDFAST_TOKEN"} | options("server")
    given = {name for each in OURS.values() for name in each.get("environment", {})}
    given |= {each["name"] for deployment in DEPLOYMENTS.values() for each in container(deployment)["env"]}
    assert given <= known


def test_there_are_two_servers_and_two_workers_on_one_postgresql() -> None:
    assert {"postgres", "server-1", "server-2", "worker-1", "worker-2"} <= set(SERVICES)
    databases = {SERVICES[name]["environment"]["HOLDFAST_DB"] for name in ("server-1", "server-2", "keys")}
    assert len(databases) == 1
    assert "@postgres:5432/" in databases.pop()
    assert {name for name, each in SERVICES.items() if each.get("profiles")} == {"redis", "rabbitmq"}


def test_nothing_in_compose_is_reached_from_other_machines_or_has_a_default_password() -> None:
    ports = [port for each in SERVICES.values() for port in each.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    passwords = re.findall(r"\$\{POSTGRES_PASSWORD[^}]*\}", (ROOT / "compose.yaml").read_text())
    assert all(each.startswith("${POSTGRES_PASSWORD:?") for each in passwords)


@pytest.mark.parametrize("name", [name for name in OURS if name.startswith(("server", "worker"))])
def test_processes_have_longer_to_end_than_they_were_promised(name: str) -> None:
    service = OURS[name]
    params = understood(service["command"]).params
    promised = params["notice"].total_seconds() if name.startswith("server") else 3 * params["grace"].total_seconds()
    assert int(service["stop_grace_period"].removesuffix("s")) >= promised


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_pods_are_restricted_and_end_in_time(name: str) -> None:
    pod = DEPLOYMENTS[name]["spec"]["template"]["spec"]
    only = container(DEPLOYMENTS[name])
    params = understood(only["args"]).params
    promised = params["notice"].total_seconds() if "server" in name else 3 * params["grace"].total_seconds()
    assert pod["terminationGracePeriodSeconds"] > promised
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == uid_of_the_image()
    assert only["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "memory" in only["resources"]["limits"]


def uid_of_the_image() -> int:
    [last] = [line for line in DOCKERFILE if line.startswith("USER ")]
    return int(last.removeprefix("USER ").split(":")[0])


def test_probes_ask_what_the_server_answers() -> None:
    server = container(DEPLOYMENTS["holdfast-server"])
    ports = {each["name"]: each["containerPort"] for each in server["ports"]}
    assert ports == {"rest": REST, "grpc": GRPC}
    asked = {probe: server[probe]["httpGet"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {each["port"] for each in asked.values()} == {"rest"}
    assert asked["livenessProbe"]["path"] == asked["startupProbe"]["path"] == "/health/live"
    assert asked["readinessProbe"]["path"] == "/health/ready"
    health = " ".join(SERVICES["server-1"]["healthcheck"]["test"])
    assert f"127.0.0.1:{REST}/health/ready" in health


def test_services_and_selectors_lead_to_pods() -> None:
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in DEPLOYMENTS.values()]
    for document in MANIFESTS:
        if document["kind"] not in {"Service", "PodDisruptionBudget", "Deployment"}:
            continue
        selector = document["spec"]["selector"]
        wanted = selector.get("matchLabels", selector)
        assert any(wanted.items() <= each.items() for each in labels), document["metadata"]["name"]


def test_what_kustomize_takes_is_there_and_has_the_names_that_pods_ask_for() -> None:
    [kustomization] = [each for each in MANIFESTS if each["kind"] == "Kustomization"]
    assert all((ROOT / "deploy" / "kubernetes" / each).exists() for each in kustomization["resources"])
    [secret] = [each for each in MANIFESTS if each["kind"] == "Secret"]
    references = [
        variable["valueFrom"]["secretKeyRef"]
        for deployment in DEPLOYMENTS.values()
        for variable in container(deployment)["env"]
        if "valueFrom" in variable
    ]
    assert {each["name"] for each in references} == {secret["metadata"]["name"]}
    assert {each["key"] for each in references} == set(secret["stringData"])


def test_workers_are_scaled_by_a_figure_that_servers_show() -> None:
    [scaled] = [each for each in MANIFESTS if each["kind"] == "ScaledObject"]
    assert scaled["spec"]["scaleTargetRef"]["name"] in DEPLOYMENTS
    [trigger] = scaled["spec"]["triggers"]
    assert "holdfast_queue_age_seconds{" in trigger["metadata"]["query"]


def test_the_image_ends_without_root_and_holds_no_tests() -> None:
    assert uid_of_the_image() != 0
    assert DOCKERFILE[-3:] == ["STOPSIGNAL SIGTERM", 'ENTRYPOINT ["holdfast"]', 'CMD ["--help"]']
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".git", ".venv", "tests", "*.db"} <= set(ignored)


def test_keys_are_made_once_and_are_tokens(tmp_path: Path) -> None:
    script = ROOT / "deploy" / "compose" / "make_keys.sh"
    environment = {
        **os.environ,
        "TOKENS": str(tmp_path),
        "HOLDFAST_DB": f"sqlite:///{tmp_path}/holdfast.db",
        "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
    }

    def make() -> dict[str, str]:
        subprocess.run(["sh", str(script)], env=environment, check=True, timeout=60)
        return {role: (tmp_path / role).read_text() for role in ("admin", "worker")}

    made = make()
    assert all(re.fullmatch(r"hfk_\S+\n", token) for token in made.values())
    assert made["admin"] != made["worker"]
    assert stat.S_IMODE((tmp_path / "worker").stat().st_mode) == 0o640
    assert make() == made
