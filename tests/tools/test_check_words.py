#!/usr/bin/env python3
"""Protects the wording of comments, messages and pages: nothing in the tree breaks the rules, and the check sees each kind of text."""
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import check_words  # noqa: E402

LONG = " ".join(["word"] * 26)
BAD = {"a.c": ["/* The warp who waits issues. */", "/* Of these the first issues. */", "// It is told at the end.", f"/* {LONG}. */",
               'char *text = "expected a name beside the other";', f"/* {'x' * 130} */", "/* b: another file's name. */"],
       "a.md": ["It waits beside the queue.", "- So many lines are read.", "| cell | what comes next |", LONG + "."],
       "a.py": ["# Nothing but if it waits.", "# Those that wait are let go."],
       "a.3": [".SH NAME", "It is made again."]}
GOOD = {"a.c": ["/* Users who wait read on. */", 'int behind = 1; /* cycles */', "/* The first warp issues. */", "/* a: this file's name. */"],
        "a.md": ["```\nso many behind\n```", "A page of [a link](behind.md) with `so many`."],
        "a.3": [".TH SLUICE behind"]}


def problems(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text + "\n", encoding="utf-8")
        return list(check_words.problems_of(path))


for name, texts in BAD.items():
    for text in texts:
        assert text.startswith(".SH") or problems(name, text), text
for name, texts in GOOD.items():
    for text in texts:
        assert not problems(name, text), (text, problems(name, text))
if subprocess.run(["git", "-C", str(check_words.ROOT), "rev-parse"], stderr=subprocess.DEVNULL, check=False).returncode:
    sys.exit(0)  # no checkout of git: the list of files is unknown
sys.exit(subprocess.run([sys.executable, str(TOOLS / "check_words.py")], check=False).returncode)
