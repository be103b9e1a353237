"""The questions about headers, a subject a module; each asks, and returns what is decided."""
