"""Expressions: a small language of our own, read once when a flow is saved and evaluated within a budget.

It knows JSON values and nothing of Python: a dot looks up a key of an object and never an attribute. What it computes
is never read as an expression again.
"""
