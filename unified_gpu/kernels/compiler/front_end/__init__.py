"""The front end: from a function's `ast` and its arguments' types to the typed form, or an error with its place."""
