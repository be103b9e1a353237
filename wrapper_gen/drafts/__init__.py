"""Drafts of specs: the questions that a header leaves open, their answers, and the spec that follows from both."""
