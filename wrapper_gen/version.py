"""The version of wrapper-gen: the one place that says it."""

VERSION = "0.2.0"
