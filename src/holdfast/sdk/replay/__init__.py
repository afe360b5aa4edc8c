"""Replay: `(history, workflow function) -> commands`, without I/O, clock or chance.

WorkflowRun (run.py) is one execution's code in memory. It feeds events to a Machine (machine.py), which is made of one
small machine for each type of command; they share a Journal (journal.py): what is recorded, what is asked for, and
whether the code may go on. The code runs on a DeterministicLoop (loop.py) and sees them as its WorkflowContext.
"""
