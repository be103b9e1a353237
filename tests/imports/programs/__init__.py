"""A program for the draft of each library, made with the answers above: `tests/behaviour/test_drafts.py` runs them."""
