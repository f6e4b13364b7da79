#!/usr/bin/env python3
"""Protects the rule that only a stage's own files write its state. No file of the tree breaks it, and the check finds
each form of write."""
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import check_stages  # noqa: E402

FOREIGN = ["sm->fetch.last = 1;", "sm->issue.full |= bit;", "sm->l1.data.pool = NULL;", "sm->lsu.outcome++;", "++sm->blocks.resident;",
           "struct network_port *port = &sm->network;\n\tport->refused = 0;", "sm->units.unit[u].busy -= 1;"]
OWN = ["uint32_t last = sm->fetch.last;", "if (sm->issue.full == bit)", "fetch_want(&sm->fetch, warp);", "sm->cycle = 1;",
       "/* sm->fetch.last = 1; */", "const struct latch *in = &sm->issued[0];"]


def found(line):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other.c"
        path.write_text(f"void f(struct sm *sm)\n{{\n\t{line}\n}}\n", encoding="utf-8")
        return list(check_stages.foreign_writes(path, Path(folder)))


for text in FOREIGN:
    assert len(found(text)) == 1, text
for text in OWN:
    assert not found(text), text
sys.exit(check_stages.main())
