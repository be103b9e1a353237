#!/usr/bin/env python3
"""Takes the options of Microsoft's compiler that a build gives, lets g++ compile, and prints as Microsoft's does.

It refuses an option that it does not know, since the compiler would only warn of it. Called as `link`, it links. What
it was called with is appended to the file that `MSVC_CALLS` names.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

IS_LINKER = Path(sys.argv[0]).stem == "link"
PLAIN = {"/nologo", "/EHsc", "/utf-8", "/MD", "/bigobj", "/permissive-", "/Zc:__cplusplus", "/Zc:preprocessor"}
PLAIN |= {"/external:W0", "/we4716", "/we4172", "/Gy", "/Gw", "/DLL", "/NOENTRY", "-w"}
SAME = {
    "/c": ["-c"],
    "/Od": ["-O0"],
    "/O1": ["-O1"],
    "/O2": ["-O0"],
    "/Zs": ["-fsyntax-only"],
    "/E": ["-E"],
    "/EP": ["-E", "-P"],
}
JOINED = {"/std:": "-std=", "/Fo": "-o", "/OUT:": "-o", "/LIBPATH:": "-L"}
SAID = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): (fatal error|error|warning|note): (.*)$", re.MULTILINE)


def translated(words):
    rest = iter(words)
    for word in rest:
        joined = next((start for start in JOINED if word.startswith(start)), None)
        if word in PLAIN:
            continue
        if word in SAME:
            yield from SAME[word]
        elif word == "/external:I":
            yield from ("-isystem", next(rest))
        elif word == "/sourceDependencies":
            yield from ("-MD", "-MF", f"{next(rest)}.make")
        elif word.startswith("/FI"):
            yield from ("-include", word[3:])
        elif joined:
            yield JOINED[joined] + word.removeprefix(joined)
        elif word.endswith(".lib"):
            yield f"-l{word.removesuffix('.lib')}"
        elif word.startswith(("-D", "-U", "-I")) or Path(word).suffix in (".c", ".cpp", ".o"):
            yield word
        else:
            sys.exit(f"{Path(sys.argv[0]).name} : Command line error D8021 : invalid option '{word}'")


def said(found):
    code = {"warning": "C4996", "note": ""}.get(found[4], "C1083" if "fatal" in found[4] else "C2065")
    what = re.sub(
        r"^(\S+): No such file or directory$", r"Cannot open include file: '\1': No such file or directory", found[5]
    )
    return f"{found[1]}({found[2]}): {f'{found[4]} {code}'.strip()}: {what}"


def main():
    words = sys.argv[1:]
    with Path(os.environ["MSVC_CALLS"]).open("a", encoding="utf-8") as calls:
        calls.write(json.dumps([Path(sys.argv[0]).stem, *words]) + "\n")
    if IS_LINKER:
        command = ["g++", "-shared", *translated(words)]
    else:
        command = ["g++", "-fPIC", "-fvisibility=hidden", *translated(words)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    sources = [Path(word).name for word in words if word.endswith((".c", ".cpp"))]
    is_preprocessor = "-E" in command
    errors = SAID.sub(said, done.stderr)
    print(*sources, sep="\n", file=sys.stderr if is_preprocessor else sys.stdout)
    print(done.stdout, end="")
    print(errors, end="", file=sys.stderr if is_preprocessor else sys.stdout)
    for record in (Path(word) for word in words if word.endswith(".d")):
        made = record.with_name(f"{record.name}.make").read_text(encoding="utf-8").replace("\\\n", " ")
        included = made.partition(": ")[2].split()[1:]
        record.write_text(json.dumps({"Version": "1.1", "Data": {"Source": sources[0], "Includes": included}}))
    sys.exit(2 if done.returncode else 0)


main()
