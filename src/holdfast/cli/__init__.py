"""The command line; `main` is its entry point, and each command is imported when it is called."""


def main() -> None:
    """Run the command line of this process; it ends with one of the exit codes of `holdfast --help`."""
    from holdfast.cli.program import program

    program(prog_name="holdfast", auto_envvar_prefix="HOLDFAST")
