"""How a flow runs: tokens in frames, moved by whatever the run hears of."""
