"""Runs CUDA programs on simulated GPUs with Sluice, and reads what runs leave.

    import sluice
    program = sluice.compile("a.cu")
    plain = sluice.run([program, "1000"], machine="gtx480")
    other = sluice.run([program, "1000"], machine="gtx480", mechanisms=["mthwp:distance=4"])
    print(plain.cycles / other.cycles, other["mthwp.useful"])
    sluice.plot_stacks([plain, other], labels=["none", "MTHWP"], file="stacks.svg")

One file that needs nothing but Python 3.9 and, to draw, matplotlib. `sluice python` prints its folder, for PYTHONPATH; or copy it.
Figures are exactly those of the statistics' JSON (docs/reference/statistics.md); docs/how-to/analysing.md has examples with pandas, R and SQL.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Container, Dict, List, Mapping, Optional, Sequence, Union

__all__ = ["Error", "Figures", "Kernel", "Run", "compile", "load", "plot_bars", "plot_stacks", "profile", "program", "run", "samples",
           "store", "timeline", "tool"]

PathLike = Union[str, "os.PathLike[str]"]
Row = Dict[str, Any]


class Error(Exception):
    """What the tool, or a program under it, had to say when it failed; `status` is its exit status, or None."""

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


def tool() -> str:
    """The path of the `sluice` command: of the installation that this file is part of, else in PATH, else of the source tree's build."""
    here = Path(__file__).resolve().parent
    installed = here.parts[-3:] == ("share", "sluice", "python")
    for path in (installed and here / "../../../bin/sluice", shutil.which("sluice"), here / "../build/bin/sluice"):
        if path and os.access(path, os.X_OK):
            return os.path.normpath(path)
    raise Error("there is no command 'sluice' in PATH")


class Figures:
    """What was counted: of a launch, or over all of them. `data` is the JSON."""

    def __init__(self, data: Mapping[str, Any]):
        self.data = data

    def __getitem__(self, name: str) -> Any:
        """A counter ("l1d.hits", "mthwp.useful") or another key of the record ("cycles")."""
        if name in self.counters:
            return self.counters[name]
        if name in self.data:
            return self.data[name]
        raise KeyError(f"no counter '{name}'; 'sluice stats --describe' lists those of the machine")

    @property
    def counters(self) -> Dict[str, int]:
        return self.data["counters"]

    @property
    def cycle_stack(self) -> Dict[str, int]:
        """Slots of the schedulers by what the warps waited for."""
        return self.data["cycle_stack"]

    @property
    def cycles(self) -> int:
        return self.data["cycles"]

    @property
    def ipc(self) -> float:
        """Instructions of threads a core cycle."""
        return self.data["thread_instructions"] / self.cycles if self.cycles else 0.0

    def row(self) -> Row:
        """All numbers and words, flat: counters under their names, the cycle stack as stack.NAME, energies as energy.NAME."""
        row = {key: value for key, value in self.data.items() if not isinstance(value, (dict, list))}
        row.update({f"stack.{name}": slots for name, slots in (self.cycle_stack or {}).items()})
        row.update({f"energy.{name}": value for name, value in self.data.get("energy", {}).items()})
        row.update(self.counters)
        return row


class Kernel(Figures):
    """A launch."""

    @property
    def name(self) -> str:
        """As C++ has it."""
        return self.data["demangled"]

    @property
    def launch(self) -> int:
        """Its number in the run, from 1."""
        return self.data["launch"]


class Run(Figures):
    """A run: itself the totals over all launches, `kernels` each of them. `facts` are what else is known of it, such as columns of the store."""

    def __init__(self, data: Mapping[str, Any], facts: Optional[Row] = None, output: str = ""):
        self.whole = data
        self.facts = dict(facts or {})
        self.output = output  # the program's own, both streams
        self.kernels: List[Kernel] = [Kernel(kernel) for kernel in data.get("kernels", [])]
        super().__init__(data.get("totals") or {"counters": {}, "cycle_stack": {}, "cycles": 0, "thread_instructions": 0})

    @property
    def ended(self) -> str:
        """How the process ended: "exit 0"; docs/reference/statistics.md lists what there is."""
        return self.whole["ended"]

    @property
    def machine(self) -> str:
        return self.whole["machine"]

    @property
    def configuration(self) -> Dict[str, Any]:
        """Every key of the machine with its value."""
        return self.whole["configuration"]

    @property
    def program(self) -> List[str]:
        return self.whole["program"]

    @property
    def options(self) -> List[str]:
        return self.whole["options"]

    @property
    def mechanisms(self) -> List[str]:
        """Those that can change the run, with all their options."""
        return self.whole["mechanisms"]

    @property
    def observers(self) -> List[str]:
        """The mechanisms that only look, with all their options."""
        return self.whole.get("observers", [])

    def of(self, kernel: str) -> List[Kernel]:
        """The launches of one kernel, by its name in C++, with or without its parameters."""
        return [launch for launch in self.kernels if launch.name == kernel or launch.name.partition("(")[0] == kernel]

    def row(self) -> Row:
        """The totals, flat, behind what says which run it is: a row for pandas.DataFrame([run.row() for run in runs])."""
        return {**self._facts(), **super().row()}

    def rows(self) -> List[Row]:
        """A flat row for each launch: pandas.DataFrame(run.rows())."""
        return [{**self._facts(), **kernel.row()} for kernel in self.kernels]

    def _facts(self) -> Row:
        words = {key: " ".join(self.whole[key]) for key in ("program", "options", "mechanisms")}
        return {"machine": self.machine, **words, **self.facts}


def _call(words: Sequence[PathLike], fine: Container[int] = (0,)) -> str:
    """Runs the command; what it and a program under it have said."""
    command = [tool(), *(os.fspath(word) for word in words)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode not in fine:
        how = f"exit status {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
        raise Error(text.strip() or f"sluice {words[0]}: {how} without a word", done.returncode)
    return text


def compile(source: PathLike, output: Optional[PathLike] = None, flags: Sequence[str] = ()) -> str:
    """`sluice cc`: makes a program of CUDA source; its absolute path. Without an output it lies beside the source, without the suffix."""
    made = Path(output) if output else Path(source).with_suffix("")
    _call(["cc", source, "-o", made, *flags])
    return str(made.resolve())


def _pairs(options: Union[Mapping[str, Any], Sequence[str], None]) -> Sequence[str]:
    """Options as the command takes them: {"sm.count": 4} or ["sm.count=4"]."""
    if isinstance(options, Mapping):
        return [f"{key}={_word(value)}" for key, value in options.items()]
    return options or ()


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(machine: Optional[PathLike], options: Union[Mapping[str, Any], Sequence[str], None], mechanisms: Sequence[str],
              passes: Sequence[str], given: Mapping[str, Any]) -> List[str]:
    words = ["--no-progress"] + (["-m", os.fspath(machine)] if machine else [])
    for flag, values in (("-o", _pairs(options)), ("--mech", mechanisms), ("--pass", passes)):
        if isinstance(values, str):
            raise TypeError(f"a list is expected, not '{values}' alone")
        for value in values:
            words += [flag, value]
    for name, setting in given.items():
        flag = "--" + name.replace("_", "-")
        if setting is True:
            words.append(flag)
        elif setting is not None and setting is not False:
            words.append(f"{flag}={_word(setting)}")
    return words


def _measure(words: List[str], behind: Sequence[PathLike], given: Mapping[str, Any], strict: bool) -> Run:
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        stats = Path(folder) / "stats.json"
        cut = {124} if given.get("max_instructions") or given.get("timeout") else set()
        fine: Container[int] = {0} | cut if strict else range(-256, 256)
        output = _call([*words, "--stats", stats, *behind], fine)
        if not stats.exists():
            raise Error(output.strip())  # what is wrong is not the program
        return Run(json.loads(stats.read_text()), output=output)


def run(command: Union[PathLike, Sequence[PathLike]], machine: Optional[PathLike] = None,
        options: Union[Mapping[str, Any], Sequence[str], None] = None, mechanisms: Sequence[str] = (), passes: Sequence[str] = (),
        strict: bool = True, **settings: Any) -> Run:
    """`sluice run`: runs a compiled program, a path or a list of it and its arguments.

    `options` changes keys of the machine, {"sm.count": 4} or ["sm.count=4"]; `mechanisms` are what --mech takes. Other settings are the command's
    long options: threads=2, sample="500:a.csv", timeline="a.csv", profile="a.json", energy=True, check="race", max_instructions=10**9.
    Raises Error with what was said when the program does not end with status 0 (or 124 where a limit was given), unless `strict` is false.
    """
    words = [command] if isinstance(command, (str, os.PathLike)) else list(command)
    program_first = os.fspath(words[0])
    if not os.path.dirname(program_first) and os.path.exists(program_first):
        program_first = os.path.join(".", program_first)  # a file of this folder, not one in PATH
    return _measure(["run", *_settings(machine, options, mechanisms, passes, settings)], ["--", program_first, *map(str, words[1:])], settings,
                    strict)


def program(name: str, size: str = "tiny", variant: Optional[str] = None, seed: Optional[int] = None, paper: Optional[str] = None,
            arguments: Sequence[str] = (), machine: Optional[PathLike] = None,
            options: Union[Mapping[str, Any], Sequence[str], None] = None, mechanisms: Sequence[str] = (), passes: Sequence[str] = (),
            strict: bool = True, **settings: Any) -> Run:
    """`sluice programs run`: one of the papers' programs, by its name or a paper's abbreviation; compiled first where it is not."""
    which: Dict[str, Any] = {"size": size, "variant": variant, "seed": seed, "paper": paper}
    words = ["programs", "run", name, *_settings(machine, options, mechanisms, passes, {**which, **settings})]
    result = _measure(words, ["--", *map(str, arguments)] if arguments else [], settings, strict)
    result.facts.update({"name": name, **{key: value for key, value in which.items() if value is not None}})
    return result


def load(path: PathLike) -> Run:
    """A run that `sluice run --stats` has left, also one that was cut: then it has no totals, and zero cycles."""
    return Run(_json(path, "kernels"), facts={"file": os.fspath(path)})


def _expect_end(path: PathLike) -> None:
    """A device need not end."""
    if os.path.exists(path) and os.path.realpath(path) != "/dev/null" and stat.S_ISCHR(os.stat(path).st_mode):
        raise Error(f"{os.fspath(path)}: it is a device, where a file was expected")


def _json(path: PathLike, key: str) -> Dict[str, Any]:
    _expect_end(path)
    try:
        data = json.loads(Path(path).read_text())
    except (OSError, ValueError) as reason:
        raise Error(f"{os.fspath(path)}: {reason}") from reason
    if not isinstance(data, dict) or key not in data:
        raise Error(f"{os.fspath(path)}: has no '{key}'")
    return data


def store(path: PathLike = "results.db", **filters: Any) -> List[Run]:
    """The runs that figures have kept, oldest first; store(program="stencil", size="small") those with these columns.

    The columns are in each run's `facts`: program, variant, size, seed, arguments, machine, options, mechanisms, verdict, output, seconds and
    the others that the file has.
    """
    if not os.path.exists(path):
        raise Error(f"there is no {os.fspath(path)}; 'sluice figure NAME' makes it")
    if not os.path.isfile(path):
        raise Error(f"{os.fspath(path)}: expected a file of results; it is a folder, a device or a FIFO")
    try:
        with contextlib.closing(_open_store(path)) as database:
            columns = [row[1] for row in database.execute("PRAGMA table_info(runs)") if row[1] != "id"]
            if not os.path.getsize(path):
                return []  # a writer was killed before it had made the table
            if "stats" not in columns:
                raise Error(f"{os.fspath(path)}: not results of sluice")
            return _select(database, columns, filters)
    except sqlite3.Error as reason:
        raise Error(f"{os.fspath(path)}: {reason}") from reason


def _connect(path: PathLike, mode: str) -> sqlite3.Connection:
    """Reads the file's head, so that one that cannot be read is told here."""
    database = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True, timeout=60)
    try:
        database.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _open_store(path: PathLike) -> sqlite3.Connection:
    """A process that was killed while it wrote leaves a journal: SQLite undoes the write, through a connection that may write."""
    try:
        return _connect(path, "ro")
    except sqlite3.OperationalError as reason:
        if "readonly" not in str(reason):
            raise
    try:
        _connect(path, "rw").close()
        return _connect(path, "ro")
    except sqlite3.OperationalError as reason:
        raise Error(f"{os.fspath(path)}: a process was killed while it wrote to it; SQLite undoes that write with {os.fspath(path)}-journal, "
                    "for which the file and its folder must be writable. Run 'sluice results check' where they are, or copy both "
                    "files into a folder of your own") from reason


def _select(database: sqlite3.Connection, columns: List[str], filters: Mapping[str, Any]) -> List[Run]:
    for name in filters:
        if name not in columns:
            raise Error(f"the store has no column '{name}'; it has {', '.join(columns)}")
    where = " AND ".join(f"{name} = ?" for name in filters) or "1"
    rows = database.execute(f"SELECT {', '.join(columns)} FROM runs WHERE {where} ORDER BY id", list(filters.values()))
    return [_stored(dict(zip(columns, row))) for row in rows]


def _stored(facts: Row) -> Run:
    """What failed may have left no statistics."""
    stats = facts.pop("stats")
    empty = {"ended": "not begun", "machine": facts["machine"], "program": [], "options": [], "mechanisms": [], "observers": []}
    return Run(json.loads(stats) if stats else empty, facts)


def _number(text: str) -> Union[int, float, str]:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _rows(path: PathLike, column: str) -> List[Row]:
    _expect_end(path)
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if column not in (reader.fieldnames or ()):
                raise Error(f"{os.fspath(path)}: has no column '{column}'")
            return [{key: _number(value) for key, value in row.items()} for row in reader]
    except OSError as reason:
        raise Error(f"{os.fspath(path)}: {reason}") from reason


def samples(path: PathLike = "samples.csv") -> List[Row]:
    """What `--sample` has written: a dictionary a row, numbers as numbers (docs/how-to/over-time.md)."""
    return _rows(path, "cycle")


def timeline(path: PathLike) -> List[Row]:
    """What `--timeline FILE.csv` has written: a dictionary an event."""
    return _rows(path, "cycle_begin")


def profile(path: PathLike) -> List[Row]:
    """What `--profile` has written: a dictionary an instruction, with its kernel's name as `kernel` and lost slots as waits.NAME; zeros are left
    out, as in the file (docs/how-to/profiling.md)."""
    rows = []
    for kernel in _json(path, "kernels")["kernels"]:
        for instruction in kernel["instructions"]:
            row = {key: value for key, value in instruction.items() if key != "waits"}
            row.update({f"waits.{cause}": slots for cause, slots in instruction.get("waits", {}).items()})
            rows.append({"kernel": kernel["demangled"], **row})
    return rows


def _axes(axes: Any) -> Any:
    """The caller's axes, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        from matplotlib.figure import Figure
    except ImportError as reason:
        raise Error("drawing needs matplotlib: Debian's package is python3-matplotlib") from reason
    return Figure(figsize=(6.4, 3.6), layout="constrained").subplots()


def _finish(axes: Any, names: Sequence[str], file: Optional[PathLike]) -> Any:
    axes.set_xticks(range(len(names)), names, rotation=30 if sum(map(len, names)) > 60 else 0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small", ncols=5, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1))  # above the bars
    if file:
        axes.figure.savefig(file)
    return axes


def plot_bars(rows: Mapping[str, Mapping[str, float]], unit: str = "", axes: Any = None, file: Optional[PathLike] = None) -> Any:
    """Groups of bars: {"stencil": {"none": 1.0, "MTHWP": 1.2}, ...}, a group each with a bar for each name. Returns matplotlib's axes."""
    axes = _axes(axes)
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = 0.8 / max(1, len(names))
    for at, name in enumerate(names):
        places = [group - 0.4 + (at + 0.5) * width for group, row in enumerate(rows.values()) if name in row]
        axes.bar(places, [row[name] for row in rows.values() if name in row], width, label=name)
    axes.set_ylabel(unit)
    return _finish(axes, list(rows), file)


def plot_stacks(figures: Sequence[Figures], labels: Sequence[str], relative: bool = True, axes: Any = None,
                file: Optional[PathLike] = None) -> Any:
    """Cycle stacks of runs or kernels side by side, in percent of each one's slots, or in slots. Returns matplotlib's axes."""
    axes = _axes(axes)
    bottom = [0.0] * len(figures)
    for cause in dict.fromkeys(cause for each in figures for cause in each.cycle_stack):
        slots = [each.cycle_stack.get(cause, 0) for each in figures]
        wholes = [max(1, sum(each.cycle_stack.values())) if relative else 1 for each in figures]
        heights = [(100 if relative else 1) * part / whole for part, whole in zip(slots, wholes)]
        if any(heights):
            axes.bar(range(len(figures)), heights, 0.7, bottom, label=cause)
        bottom = [low + height for low, height in zip(bottom, heights)]
    axes.set_ylabel("% of the schedulers' slots" if relative else "slots")
    return _finish(axes, list(labels), file)
