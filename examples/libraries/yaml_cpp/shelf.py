"""Reads a document, changes it, and writes it again; then reads it as Python's own values."""

from __future__ import annotations

import yaml_cpp

DOCUMENT = """\
shelf: oak
books:
  - {title: The Trial, pages: 178}
  - {title: Emma, pages: 474}
"""


def main() -> None:
    shelf = yaml_cpp.load(DOCUMENT)
    shelf["books"][1]["title"] = yaml_cpp.load("Persuasion")
    shelf["books"].append(yaml_cpp.load("{title: Ulysses, pages: 730}"))
    del shelf["books"][0]["pages"]
    print(shelf)

    for book in shelf["books"]:
        print("-", ", ".join(f"{key}={value}" for key, value in book.items()))

    values = shelf.value
    print(sum(book.get("pages", 0) for book in values["books"]), "pages on", values["shelf"])

    try:
        yaml_cpp.load("books: [Emma")
    except yaml_cpp.YamlError as error:
        print(f"{type(error).__name__}: {error}")
    if "author" not in shelf["books"][0]:
        print("no author")


if __name__ == "__main__":
    main()
