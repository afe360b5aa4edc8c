"""The history of a schema: numbered scripts, applied once, in order, never backwards."""

from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

import msgspec

from holdfast.model.errors import SchemaAltered, SchemaTooNew


class Migration(msgspec.Struct, frozen=True):
    """One step of the schema's history."""

    number: int
    name: str
    script: str

    @property
    def checksum(self) -> str:
        """What tells this script from an altered one."""
        return sha256(self.script.encode()).hexdigest()


def migrations_of(package: str) -> list[Migration]:
    """Those of this release, by number."""
    found: list[Migration] = []
    for entry in files(package).iterdir():
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found, key=lambda migration: migration.number)


def missing(recorded: Sequence[tuple[int, str, str]], known: Sequence[Migration], where: str) -> list[Migration]:
    """What is still to be applied; a refusal if the database's history is not the beginning of the known one."""
    if len(recorded) > len(known):
        number, name, _ = recorded[-1]
        raise SchemaTooNew(
            f"{where} has schema {number} ({name}), this Holdfast knows {len(known)}; use the release that wrote it"
        )
    for (number, name, checksum), migration in zip(recorded, known, strict=False):
        if (number, name, checksum) != (migration.number, migration.name, migration.checksum):
            raise SchemaAltered(
                f"{where}: migration {number} ({name}) is not the one that this Holdfast knows ({migration.name}); "
                "use the release that wrote the database"
            )
    return list(known[len(recorded) :])
