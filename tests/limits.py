"""How long a test waits for what should come."""

HANGS = 600.0
"""Seconds after which a process or a thread counts as one that hangs; on a busy machine all else may take minutes."""
