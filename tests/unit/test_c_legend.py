"""Has the legend of the C functions the words that these say, and no others?"""

from __future__ import annotations

import re

import pytest

from tests import test_cases
from wrapper_gen.tiers.bridge.c_legend import WORDS, c_legend

SAID = {
    "Pin, OptionalPin": r"wg::(Optional)?Pins?\b",
    "Take": r"wg::(OptionalTake|Take|Takes)\b",
    "KeptValue": r"wg::KeptValue<",
    "KeptMemory": r"wg::KeptMemory ",
    "OwnerLocks": r"wg::OwnerLocks ",
    "Holds": r"wg::Holds\b",
    "Releases": r"wg::Releases\b",
    "end_lent, EndedBy": r"wg::(end_lent|EndedBy)",
    "Kept, KeptWithin": r"wg::Kept(Within)? ",
    "RunningCall": r"wg::RunningCall",
    "RaisesOf": r"wg::RaisesOf ",
    "Owners.add(a)": r"const wg::Owners wg_\w+ = [^;]*\.add\(",
    "Owners.lend(a)": r"const wg::Owners wg_\w+ = [^;]*\.lend\(",
    "give, keep_alive": r"wg::(give|keep_alive)",
    "iterator": r"wg::iterator\(",
}
"""How each looks in a function; what an end closes is said of the types alone."""


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", [case.name for case in test_cases.CASES])
def test_it_has_the_words_of_the_package(name: str) -> None:
    case = next(each for each in test_cases.CASES if each.name == name)
    generated = test_cases.generate(case, (1,))
    bridge = next(text for path, text in generated.files.items() if path.name == "bridge.cpp")
    functions = bridge.partition("// --- C functions ---")[2].partition("\nextern ")[2]
    words = {line[:20].strip() for line in c_legend(generated.module)} - {"", "closes_lent"}
    assert words == {word for word, said in SAID.items() if re.search(said, functions)}


def test_each_word_is_looked_for() -> None:
    assert {each.word for each in WORDS} == {*SAID, "closes_lent"}
