#!/usr/bin/env python3
"""Checks the English of comments, messages and pages: wordings that hide a subject, long sentences, lines over 120 columns,
and a C file's first comment that begins with another name than the file's.

    tools/check_words.py                 all files that git knows
    tools/check_words.py src/sm docs     only files below these paths
    tools/check_words.py --count         one line per folder: problems by kind

The exit status is 1 when a problem is found. CONTRIBUTING.md states the rules. Add a wording to WORDINGS when a reader stumbles over it.
"""
import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 120
SENTENCE = 25

PEOPLE = (r"(?:users?|readers?|researchers?|authors?|persons?|people|someone|anyone|students?|engineers?|everyone|newcomers?"
          r"|developers?|reviewers?|programmers?|nobody|somebody|anybody|strangers?)")

# A wording, and what to write instead.
WORDINGS = [
    (r"\bbut (?:if|for|that|by|where|of|when)\b", "'unless', 'except'"),
    (r"\b(?:[Ss]o|[Aa]s) many\b(?! as possible)", "name the number: 'at most this many', 'count'"),
    (r"(?:^|[.:;] )(?:Of|What|That which|Those that|Whoever|Who) [a-z]", "begin with the subject"),
    (rf"\b(?!(?i:{PEOPLE})\b)\w+[,;]? (?:who|whom|whoever)\b", "hardware is not 'who': 'the warp that …'"),
    (r"\blet (?:be|go)\b|\blets? \w+ (?:be|go)\b", "'ignored', 'released'"),
    (r"\b(?:is|are|was|were) (?:said|told)\b", "name the output: 'reported', 'printed', 'stated'"),
    (r"\bas far as\b", "'where', 'up to'"),
    (r"\bbehind\b(?! (?:a|the) (?:label|flag|option))", "'after', 'below'"),
    (r"\bbeside\b", "'next to', 'with', 'compared with'"),
    (r"\b[Tt]he same of\b", "write the sentence out"),
    (r"\b(?:is|are|was|were) there\b(?! (?:a|an|any|no)\b)", "'exists', 'is present'"),
    (r"\b(?:its|their) likes?\b|\bthe likes? of\b", "'similar ones'"),
    (r"\bby itself\b", "'without help', 'separately'"),
    (r"\bfor (?:good|sure)\b", "'permanently', 'certainly'"),
    (r"\bwhat (?:comes|came|goes|went)\b", "name the subject"),
    (r"\bof (?:one's|its|their|your|our) own\b(?! (?:L1|memory|cache|SM))", "'its own …' before the noun"),
    (r"\b(?:lest|whence|thence|thereof|whereof|thither|henceforth|hereof|anew|betwixt)\b", "today's word"),
    (r"\b(?:made|make|makes|making) again\b", "'regenerate', 'rebuild', 'rerun'"),
    (r"\bonce more\b", "'again'"),
    (r"\bfor want of\b", "'because there is no …'"),
    (r"\bby and by\b|\bnot a few\b|\bno less\b", "a plain word"),
    (r"\bhow (?:far|many|much) (?:it|they|of it|of them) (?:is|are|has|have)\b", "name the quantity"),
    (r"\bthose (?:of|who) (?:one|it|them)\b", "name the noun"),
    (r"\bwherever (?:it|they) (?:is|are)\b", "a plain word"),
    (r"\b(?:[Uu]n)?(?:[Nn]eighbour|[Bb]ehaviour|[Cc]olour|[Hh]onour|[Ff]avour|[Nn]ormalis|[Ii]nitialis|[Oo]ptimis(?!t)|[Ss]ynchronis"
     r"|[Ss]erialis|[Rr]ecognis|[Uu]tilis|[Qq]uantis|[Vv]ectoris|[Mm]inimis|[Mm]aximis|[Aa]nalys(?:e|ed|ing)\b|[Cc]ancell(?:ed|ing)"
     r"|[Mm]odell(?:ed|ing)|[Ll]abell(?:ed|ing)|[Cc]entred?\b|[Cc]atalogue|[Aa]rtefact)", "American spelling"),
    (r"\bno (?:such|more) than\b.*\bno (?:such|more) than\b", "one limit a sentence"),
]
COMPILED = [(re.compile(pattern, re.M), advice) for pattern, advice in WORDINGS]

# Texts that are no English sentence: device code or names in strings, and long code lines.
EXCEPTIONS = [
    ("programs/kmeans/kmeans.cu", "as many"),
    ("src/lab/store_schema.c", "CREATE TABLE"),       # SQL
    ("templates/study/mechanism.c", "'ahead:'"),      # the name of the study's mechanism
    ("tests/cuda/checks/faults.cu", "behind"),        # the name of a case
    ("tests/cuda/checks/matrices.cu", "121 columns"),  # PTX with a label
    ("tests/cuda/nvrtc.cu", "beside"),                # a file's name
    ("tests/cuda/source_ranges.py", "127 columns"),   # a generated #define
    ("tests/cuda/textures.cu", "shape %d"),           # a format
    ("tests/lab/test_picture.c", "w w w"),
    ("tools/csmith.py", "include <float.h>"),         # C source in a string
]

HASH_COMMENTS = {".py", ".sh", ".cmake", ".yaml", ".yml", ".gp"}
C_LIKE = {".c", ".h", ".cu", ".cuh", ".cpp", ".inc", ".def"}
MANUAL = {".1", ".3"}
SKIPPED = re.compile(r"^(tests/data/|tests/fuzz/|toolkit/data/|LICENSE|report/.*\.js$)")


class Text:
    """Words of one comment, string or paragraph, with the line of each character."""

    def __init__(self):
        self.words, self.lines = "", []

    def add(self, text, line):
        text = text.strip()
        if self.words:
            text = " " + text
        self.words += text
        self.lines += [line] * len(text)

    def line_at(self, place):
        return self.lines[min(place, len(self.lines) - 1)] if self.lines else 0


def comments_of_c(source):
    """Texts of comments. A comment's blank line ends a text; so does a list item."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
    slashes, last = None, -1
    for match in pattern.finditer(source):
        words = match[0]
        line = source.count("\n", 0, match.start()) + 1
        if words.startswith("//"):
            if slashes is None or last != line - 1:
                if slashes is not None:
                    yield slashes
                slashes = Text()
            slashes.add(words.lstrip("/"), line)
            last = line
        elif words.startswith("/*"):
            yield from paragraphs(words[2:-2].split("\n"), line, r"^\s*\*?")
    if slashes is not None:
        yield slashes


def strings_of_c(source):
    """Messages: string literals of four words and more. Adjacent literals are one text."""
    text, end = None, -1
    for match in re.finditer(r'/\*.*?\*/|//[^\n]*|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'', source, re.S):
        if match[1] is None:
            continue
        line = source.count("\n", 0, match.start()) + 1
        words = match[1].replace("\\n", ". ").replace("\\t", " ").replace('\\"', "'")
        if text is None or source[end:match.start()].strip() or text.line_at(10 ** 9) < line - 1:
            if text is not None:
                yield text
            text = Text()
        text.add(words, line)
        end = match.end()
    if text is not None:
        yield text


def paragraphs(lines, first, prefix):
    text = Text()
    for number, line in enumerate(lines, first):
        words = re.sub(prefix, "", line).rstrip()
        if not words.strip() or re.match(r"\s*(?:[-*] |\d+\. |\|)|\s{3,}\S+  +\S|    ", words):
            if text.words:
                yield text
            text = Text()
        if words.strip() and not words.startswith("    "):
            text.add(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", words), number)
    if text.words:
        yield text


def comments_after_hash(source):
    block, first = [], 0
    for number, line in enumerate(source.split("\n"), 1):
        match = re.match(r"\s*#(?!!)(.*)", line) or re.match(r"[^'\"]*\s#\s(.*)", line)
        if match:
            if not block:
                first = number
            block.append(match[1])
        elif block:
            yield from paragraphs(block, first, r"^ ?")
            block = []
    if block:
        yield from paragraphs(block, first, r"^ ?")


def prose_of_markdown(source):
    lines, fenced = [], False
    for line in source.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        elif fenced:
            line = ""
        lines.append(line)
    block, first = [], 1
    for number, line in enumerate(lines + [""], 1):
        heading = line.startswith("#")
        cells = line.startswith("|")
        if not line.strip() or heading or cells:
            if block:
                yield from paragraphs(block, first, r"^")
            block = []
            if heading or cells:
                for cell in (line.strip("|").split("|") if cells else [line.lstrip("# ")]):
                    text = Text()
                    text.add(cell, number)
                    if text.words:
                        yield text
        else:
            if not block:
                first = number
            block.append(line)


def texts_of(path, source):
    if path.suffix in C_LIKE:
        yield from comments_of_c(source)
        for text in strings_of_c(source):
            if len(text.words.split()) >= 4:
                yield text
    elif path.suffix in HASH_COMMENTS or path.name in ("CMakeLists.txt", "Makefile", "setup"):
        yield from comments_after_hash(source)
    elif path.suffix == ".md":
        yield from prose_of_markdown(source)
    elif path.suffix in MANUAL:
        yield from prose_of_markdown(re.sub(r"^\..*$", "", source, flags=re.M))


def masked(words):
    """The words with code and addresses of links overwritten, so that each character stays in its place."""
    return re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+", lambda match: "x" * len(match[0]), words)


def sentences(words):
    """Sentences with their places. A full stop in an abbreviation, number or file name ends none."""
    start = 0
    for match in re.finditer(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bFig)(?<!\bSec)(?<!\bal)[.!?:;]['\")]*(?:\s+|$)", words):
        yield start, words[start:match.end()]
        start = match.end()
    if start < len(words):
        yield start, words[start:]


def problems_of(path):
    try:
        source = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, IsADirectoryError, FileNotFoundError):
        return
    heading = re.match(r"/\* ([a-z][\w/]*)(?:\.[ch])?: ", source) if path.suffix in (".c", ".h") else None
    if heading and not f"/{path.with_suffix('')}".endswith("/" + heading[1]):
        yield 1, "name", f"'{heading[1]}:' is not the file's name"
    in_fence = False
    for number, line in enumerate(source.split("\n"), 1):
        if path.suffix == ".md" and line.lstrip().startswith("```"):
            in_fence = not in_fence
        if len(line.expandtabs(8)) > COLUMNS and not in_fence and not line.startswith("|") and "http" not in line:
            comment = r"^\s*(?:/?\*|//)|/\*|//" if path.suffix in C_LIKE else r"^\s*#"
            if path.suffix == ".md" or (path.suffix in C_LIKE | HASH_COMMENTS and re.search(comment, line)):
                yield number, "line", f"{len(line.expandtabs(8))} columns"
    for text in texts_of(path, source):
        words = masked(text.words)
        for pattern, advice in COMPILED:
            for match in pattern.finditer(words):
                yield text.line_at(match.start()), "wording", f"'{match[0].strip()}': {advice}"
        for start, sentence in sentences(words):
            count = sum(bool(re.search("[A-Za-z]", word)) for word in sentence.split())
            if count > SENTENCE:
                yield text.line_at(start), "sentence", f"{count} words: {text.words[start:start + 60]}…"


def files(paths):
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--", *paths], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [name for name in listed.split("\n") if name and not SKIPPED.match(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    counts, total, unused = collections.defaultdict(collections.Counter), 0, set(EXCEPTIONS)
    for name in files(arguments.paths):
        if name == "tools/check_words.py":
            continue
        for line, kind, problem in problems_of(ROOT / name):
            excepted = {(path, part) for path, part in EXCEPTIONS if name == path and part in problem}
            unused -= excepted
            if excepted:
                continue
            total += 1
            counts["/".join(name.split("/")[:2])][kind] += 1
            if not arguments.count:
                print(f"{name}:{line}: {kind}: {problem}")
    for path, part in sorted(unused if not arguments.paths else ()):
        total += 1
        print(f"tools/check_words.py: the exception for '{part}' in {path} matches nothing: remove it")
    if arguments.count:
        for folder, kinds in sorted(counts.items()):
            print(f"{folder:30}", *(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    print(f"{total} problems", file=sys.stderr)
    return total > 0


if __name__ == "__main__":
    sys.exit(main())
