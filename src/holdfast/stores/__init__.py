"""Stores: where executions, tasks, timers and promises are kept; all of them obey one port and one suite of tests."""
