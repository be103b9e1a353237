"""Contexts, streams, events and memory of a device."""
