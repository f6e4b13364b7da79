#!/usr/bin/env python3
"""Makes the site of the pages with mkdocs: `make docs`.

    tools/site.py [--build BUILD] [--serve]

Pages link to each other, and to sources, as the source tree has them. So the site has the tree's layout: this script copies all pages and
pictures into BUILD/site-pages, and each source file that a page links to becomes a page with its text. It also mends where mkdocs
reads Markdown otherwise than the pages are written: a list needs an empty line before it, and a name behind a block's language is a title.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
FENCE = re.compile(r"^(\s*```)([\w+]+) (\S+)$")
LANGUAGES = {"cuda": "cpp", "ptx": "text"}
PICTURES = (".png", ".svg")


def tracked():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE, text=True, check=False).stdout.split("\n")
    return [Path(name) for name in listed if name] or [path.relative_to(ROOT) for path in ROOT.rglob("*") if "build" not in path.parts]


def is_page(path):
    return path.suffix == ".md" and path.parts[0] not in ("tests", "templates") and path != Path("docs/doxygen.md")


def fence(line):
    """A block's first line: the language as highlighters know it, the file's name as a title."""
    match = FENCE.match(line)
    if match:
        return f'{match[1]}{LANGUAGES.get(match[2], match[2])} title="{match[3]}"'
    return re.sub(r"^(\s*```)(cuda|ptx)$", lambda found: found[1] + LANGUAGES[found[2]], line)


def for_mkdocs(text):
    lines, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            line = line if fenced else fence(line)
            fenced = not fenced
        elif not fenced:
            before = lines[-1] if lines else ""
            table = line.startswith("|") and not before.startswith("|")
            listed = ITEM.match(line) and not ITEM.match(before) and not before.startswith(" ")
            code = line.startswith("    ") and before and not before.startswith(" ") and not ITEM.match(before)
            if before and (table or listed or code):
                lines.append("")
        lines.append(line)
    return "\n".join(lines)


def source_page(name):
    """A page with the text of a source file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    language = {".h": "c", ".c": "c", ".py": "python", ".cu": "cpp", ".yaml": "yaml", ".cff": "yaml"}.get(Path(name).suffix, "text")
    return f"---\nsearch: {{exclude: true}}\n---\n# {name}\n\n````{language}\n{text}````\n"


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path for path in tracked() if is_page(path)}
        self.sources = set()

    def target(self, page, link):
        """A page's link, as the site has it."""
        if re.match(r"[a-z]+:", link):
            return link
        path = Path(os.path.normpath(page.parent / link))
        if path in self.pages or path.suffix in PICTURES or not (ROOT / path).exists():
            return link
        if (ROOT / path).is_dir():
            return link.rstrip("/") + "/README.md" if path / "README.md" in self.pages else link
        self.sources.add(path)
        return link + ".md"

    def write(self, path, text):
        to = self.folder / path
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")

    def copy(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for page in sorted(self.pages):
            text = (ROOT / page).read_text(encoding="utf-8")
            if page == Path("README.md"):  # the only page of its tab
                text = "---\nhide: [navigation]\n---\n" + text
            text = LINK.sub(lambda found, page=page: found[1] + self.target(page, found[2]) + found[3], text)
            self.write(page, for_mkdocs(text))
        for source in sorted(self.sources):
            self.write(f"{source}.md", source_page(source))
        for path in tracked():
            if path.suffix in PICTURES and path.parts[0] == "docs" or path == Path("docs/site.css"):
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, self.folder / path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    arguments = parser.parse_args()
    if not shutil.which("mkdocs"):
        print("tools/site.py: Debian's packages mkdocs and mkdocs-material are missing; 'tools/deps.sh docs' installs them", file=sys.stderr)
        return 77
    build = arguments.build.resolve()
    Site(build / "site-pages").copy()
    (build / "mkdocs.yml").write_text(f"INHERIT: {ROOT}/mkdocs.yml\ndocs_dir: {build}/site-pages\nsite_dir: {build}/site\n")
    api = build / "site/api"  # made by another tool, which need not run again
    kept = build / "site-api"
    if api.is_dir():
        shutil.rmtree(kept, ignore_errors=True)
        api.rename(kept)
    done = subprocess.run(["mkdocs", "build", "--strict", "--config-file", str(build / "mkdocs.yml")], text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "tools")}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(*(line for line in done.stdout.splitlines() if "WARNING" in line or "ERROR" in line), sep="\n", end="", file=sys.stderr)
    if kept.is_dir():
        kept.rename(api)
    print(f"{build}/site/index.html" if done.returncode == 0 else "mkdocs failed", file=sys.stderr if done.returncode else sys.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
