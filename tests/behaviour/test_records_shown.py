"""Records of structs that refer to memory: they own what they show, also when that memory has ended."""

from __future__ import annotations

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "callables" / "listeners.wrapper_spec"
PROGRAM = """
import listeners_ffi as lib

TEXTS = [f"a rather long message, number {i}" for i in range(3)]
for name, kind, show, field in (
    ("messages", lib.Message, lambda m: (m.payload, m.level), "payload"),
    ("viewed", lib.Viewed, lambda m: (m.payload, m.level), "payload"),
    ("notices", lib.Notice, lambda m: m.text, "text"),
):
    inside, kept = [], []
    getattr(lib, name)(3, lambda each: (kept.append(each), inside.append(show(each))))
    print(name, [show(each) for each in kept] == inside, [getattr(each, field) for each in kept] == TEXTS)
    kept = []
    getattr(lib, name)(3, kept.append)
    joined = getattr(lib, "joined_" + name)
    print([getattr(each, field) for each in kept] == TEXTS, joined(kept) == "".join(TEXTS))
    made = [kind(text * 3, *([4] if field == "payload" else [])) for text in TEXTS]
    thrice = [text * 3 for text in TEXTS]
    print([getattr(each, field) for each in made] == thrice, joined(made) == "".join(thrice))
    print(repr(made[0]).count(TEXTS[0]), len({*made, *made}))
kept = []
lib.letters(3, kept.append)
print([each.first for each in kept] == [ord("a")] * 3, lib.Letter(7).first)
print(lib.asked_message(lambda: lib.Message(TEXTS[0] * 3, 1)) == TEXTS[0] * 3)
print(lib.asked_notice(lambda: lib.Notice(TEXTS[0] * 3)) == TEXTS[0] * 3)
"""


@pytest.mark.trial("record-reads-late")
def test_records_own_what_they_show(engine: str) -> None:
    done = packages.build(SPEC).python(PROGRAM, engine=engine, MALLOC_PERTURB_="165")  # glibc writes over what is freed
    of_each = ["True True", "True True", "3 3"]
    assert done.stdout.splitlines() == [
        *(line for name in ("messages", "viewed", "notices") for line in (f"{name} True True", *of_each)),
        "True 7",
        "True",
        "True",
    ]
