"""Batches through one device, several devices and several processes."""
