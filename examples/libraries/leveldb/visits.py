"""Counts visits of pages in a database, a batch a day, and reads them back in order."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from pathlib import Path

import leveldb_cpp

PAGES = ["/", "/about", "/docs", "/docs/install", "/docs/spec", "/news"]


def main() -> None:
    visits = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits"
        with leveldb_cpp.DB(path, create_if_missing=True, filter_policy=leveldb_cpp.bloom_filter()) as db:
            for day in range(1, 31):
                batch = leveldb_cpp.WriteBatch()
                for page, count in Counter(visits.choices(PAGES, k=1000)).items():
                    batch[f"{page} {day:02}".encode()] = str(count).encode()
                db.write(batch, sync=day == 30)
            before = db.snapshot()
            del db[b"/ 01"]
            print("first day:", db.get(b"/ 01"), "before:", db.get(b"/ 01", snapshot=before))

            asyncio.run(db.compact_range_async(b"/docs/", b"/docs0"))  # a server goes on with other tasks
            print("pages:", len({key.split()[0] for key in db}), "records:", sum(1 for _ in db.items(snapshot=before)))
            cursor, total = db.iterator(fill_cache=False), 0
            cursor.seek(b"/docs/")
            while cursor.valid and cursor.key.startswith(b"/docs/"):
                total += int(cursor.value)
                cursor.next()
            cursor.check()
            print("visits below /docs/:", total)
        try:
            leveldb_cpp.DB(path, error_if_exists=True)
        except ValueError as error:
            print(f"{type(error).__name__}: {str(error).split(':')[-1].strip()}")


if __name__ == "__main__":
    main()
