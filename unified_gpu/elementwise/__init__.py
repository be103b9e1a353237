"""Functions of elements that are applied to whole arrays of any shape."""
