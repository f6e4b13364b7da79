"""A page that a tool makes of the headers: `--check` compares it, `--write` replaces it, without an option it is printed."""
import sys
from pathlib import Path


def keep(page, text):
    """Returns the tool's exit status."""
    if "--check" in sys.argv:
        if not page.exists() or page.read_text() != text:
            print(f"{page} differs from the output of tools/{Path(sys.argv[0]).name}: run it with --write")
            return 1
    elif "--write" in sys.argv:
        page.write_text(text)
    else:
        print(text, end="")
    return 0
