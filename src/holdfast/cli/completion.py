"""Completion scripts: `holdfast completion bash >> ~/.bashrc`."""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_HOLDFAST_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what a shell is to source, so that it completes commands and options.

    \b
      holdfast completion bash >> ~/.bashrc
      holdfast completion zsh >> ~/.zshrc
      holdfast completion fish > ~/.config/fish/completions/holdfast.fish
    """
    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(context.find_root().command, {}, "holdfast", VARIABLE).source())
