"""Runs CUDA programs on simulated GPUs with Sluice, and reads the results of runs.

    import sluice
    program = sluice.compile("a.cu")
    plain = sluice.run([program, "1000"], machine="gtx480")
    other = sluice.run([program, "1000"], machine="gtx480", mechanisms=["mthwp:distance=4"])
    print(plain.cycles / other.cycles, other["mthwp.useful"])
    sluice.plot_stacks([plain, other], labels=["none", "MTHWP"], file="stacks.svg")

This module is one file. It needs only Python 3.9, and matplotlib for plots. `sluice python` prints its folder, for
PYTHONPATH; the file may also be copied. Figures equal those of the statistics' JSON (docs/reference/statistics.md).
docs/how-to/analyzing.md has examples with pandas, R and SQL.
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
    """The output of the command, or of a program run by it, that failed. `status` is its exit status, or None."""

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


def tool() -> str:
    """Returns the path of the `sluice` command. Searches this file's installation, then PATH, then the source tree's
    build."""
    here = Path(__file__).resolve().parent
    installed = here.parts[-3:] == ("share", "sluice", "python")
    for path in (installed and here / "../../../bin/sluice", shutil.which("sluice"), here / "../build/bin/sluice"):
        if path and os.access(path, os.X_OK):
            return os.path.normpath(path)
    raise Error("there is no command 'sluice' in PATH")


class Figures:
    """The figures of one launch, or of all launches together. `data` is the JSON."""

    def __init__(self, data: Mapping[str, Any]):
        self.data = data

    def __getitem__(self, name: str) -> Any:
        """Returns a counter ("l1d.hits", "mthwp.useful") or another key of the record ("cycles")."""
        if name in self.counters:
            return self.counters[name]
        if name in self.data:
            return self.data[name]
        raise KeyError(f"no counter '{name}'; 'sluice stats --describe' lists those of the machine")

    @property
    def counters(self) -> Dict[str, int]:
        return self.data["counters"]

    @property
    def units(self) -> Dict[str, List[int]]:
        """The values of each unit, by counter; empty without `units=True` (docs/how-to/units.md)."""
        return self.data.get("units", {})

    @property
    def cycle_stack(self) -> Dict[str, int]:
        """The schedulers' slots, by the cause for which warps waited."""
        return self.data["cycle_stack"]

    @property
    def cycles(self) -> int:
        return self.data["cycles"]

    @property
    def ipc(self) -> float:
        """Thread instructions per core cycle."""
        return self.data["thread_instructions"] / self.cycles if self.cycles else 0.0

    def row(self) -> Row:
        """Returns all numbers and texts in one dictionary: counters by name, the cycle stack as stack.NAME, energies as
        energy.NAME."""
        row = {key: value for key, value in self.data.items() if not isinstance(value, (dict, list))}
        row.update({f"stack.{name}": slots for name, slots in (self.cycle_stack or {}).items()})
        row.update({f"energy.{name}": value for name, value in self.data.get("energy", {}).items()})
        row.update(self.counters)
        return row


class Kernel(Figures):
    """A launch."""

    @property
    def name(self) -> str:
        """The kernel's C++ name."""
        return self.data["demangled"]

    @property
    def blocks(self) -> Dict[str, List[int]]:
        """`sm`, `begin`, `end` and `warp_instructions` of each block; empty without `units=True`."""
        return self.data.get("blocks", {})

    @property
    def launch(self) -> int:
        """The launch's number in the run, from 1."""
        return self.data["launch"]


class Run(Figures):
    """A run. Its own figures are the totals; `kernels` has each launch; `facts` has other data, such as columns of the
    results file."""

    def __init__(self, data: Mapping[str, Any], facts: Optional[Row] = None, output: str = ""):
        self.whole = data
        self.facts = dict(facts or {})
        self.output = output  # of the program, both streams
        self.kernels: List[Kernel] = [Kernel(kernel) for kernel in data.get("kernels", [])]
        super().__init__(data.get("totals") or {"counters": {}, "cycle_stack": {}, "cycles": 0, "thread_instructions": 0})

    @property
    def streams(self) -> Dict[int, Figures]:
        """The sums over the launches of each stream, by its number; empty if the run has only one. Counters are None
        where a launch ran at the same time as others: those are of its session."""
        return {stream["stream"]: Figures(stream) for stream in self.whole.get("streams", [])}

    @property
    def ended(self) -> str:
        """How the process ended, such as "exit 0". docs/reference/statistics.md lists all values."""
        return self.whole["ended"]

    @property
    def machine(self) -> str:
        return self.whole["machine"]

    @property
    def configuration(self) -> Dict[str, Any]:
        """All keys of the machine with their values."""
        return self.whole["configuration"]

    @property
    def program(self) -> List[str]:
        return self.whole["program"]

    @property
    def options(self) -> List[str]:
        return self.whole["options"]

    @property
    def mechanisms(self) -> List[str]:
        """The mechanisms that can change the run, with all their options."""
        return self.whole["mechanisms"]

    @property
    def observers(self) -> List[str]:
        """The mechanisms that only observe, with all their options."""
        return self.whole.get("observers", [])

    def of(self, kernel: str) -> List[Kernel]:
        """Returns the launches of one kernel, given its C++ name with or without parameters."""
        return [launch for launch in self.kernels if launch.name == kernel or launch.name.partition("(")[0] == kernel]

    def row(self) -> Row:
        """Returns the run's facts and totals in one dictionary: a row for pandas.DataFrame([run.row() for run in
        runs])."""
        return {**self._facts(), **super().row()}

    def rows(self) -> List[Row]:
        """Returns one dictionary per launch: pandas.DataFrame(run.rows())."""
        return [{**self._facts(), **kernel.row()} for kernel in self.kernels]

    def _facts(self) -> Row:
        words = {key: " ".join(self.whole[key]) for key in ("program", "options", "mechanisms")}
        return {"machine": self.machine, **words, **self.facts}


def _call(words: Sequence[PathLike], fine: Container[int] = (0,)) -> str:
    """Runs the command. Returns its output and that of a program that it runs."""
    command = [tool(), *(os.fspath(word) for word in words)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode not in fine:
        how = f"exit status {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
        raise Error(text.strip() or f"sluice {words[0]}: {how}, with no message", done.returncode)
    return text


def compile(source: PathLike, output: Optional[PathLike] = None, flags: Sequence[str] = ()) -> str:
    """Compiles CUDA source with `sluice cc`. Returns the program's absolute path; by default the source's path without
    suffix."""
    made = Path(output) if output else Path(source).with_suffix("")
    _call(["cc", source, "-o", made, *flags])
    return str(made.resolve())


def _pairs(options: Union[Mapping[str, Any], Sequence[str], None]) -> Sequence[str]:
    """Converts options to the command's form; accepts {"sm.count": 4} or ["sm.count=4"]."""
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
            raise TypeError(f"expected a list, not the text '{values}'")
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
            raise Error(output.strip())  # the program is not at fault
        return Run(json.loads(stats.read_text()), output=output)


def run(command: Union[PathLike, Sequence[PathLike]], machine: Optional[PathLike] = None,
        options: Union[Mapping[str, Any], Sequence[str], None] = None, mechanisms: Sequence[str] = (), passes: Sequence[str] = (),
        strict: bool = True, **settings: Any) -> Run:
    """Runs a compiled program with `sluice run`. `command` is a path, or a list of the path and arguments.

    `options` changes keys of the machine: {"sm.count": 4} or ["sm.count=4"]. `mechanisms` has values of --mech. Other
    settings are the command's long options: threads=2, sample="500:a.csv", timeline="a.csv", profile="a.json",
    energy=True, units=True, check="race", max_instructions=10**9. Unless `strict` is false, raises Error with the output when the
    program does not end with status 0 (or 124 if a limit was given).
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
    """Runs one of the papers' programs with `sluice programs run`, by name or a paper's abbreviation. Compiles it if
    necessary."""
    which: Dict[str, Any] = {"size": size, "variant": variant, "seed": seed, "paper": paper}
    words = ["programs", "run", name, *_settings(machine, options, mechanisms, passes, {**which, **settings})]
    result = _measure(words, ["--", *map(str, arguments)] if arguments else [], settings, strict)
    result.facts.update({"name": name, **{key: value for key, value in which.items() if value is not None}})
    return result


def load(path: PathLike) -> Run:
    """Reads a run written by `sluice run --stats`. A run that was cut off has no totals, and zero cycles."""
    return Run(_json(path, "kernels"), facts={"file": os.fspath(path)})


def _expect_end(path: PathLike) -> None:
    """Rejects character devices, whose contents may never end."""
    if os.path.exists(path) and os.path.realpath(path) != "/dev/null" and stat.S_ISCHR(os.stat(path).st_mode):
        raise Error(f"{os.fspath(path)}: it is a device; expected a file")


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
    """Returns the runs in a results file, oldest first; store(program="stencil", size="small") only those with these
    columns.

    Each run's `facts` has the columns: program, variant, size, seed, arguments, machine, options, mechanisms, verdict,
    output, seconds and all others in the file.
    """
    if not os.path.exists(path):
        raise Error(f"there is no {os.fspath(path)}; 'sluice figure NAME' makes it")
    if not os.path.isfile(path):
        raise Error(f"{os.fspath(path)}: expected a file of results; it is a folder, a device or a FIFO")
    try:
        with contextlib.closing(_open_store(path)) as database:
            columns = [row[1] for row in database.execute("PRAGMA table_info(runs)") if row[1] != "id"]
            if not os.path.getsize(path):
                return []  # a writer was killed before it created the table
            if "stats" not in columns:
                raise Error(f"{os.fspath(path)}: not a results file of sluice")
            return _select(database, columns, filters)
    except sqlite3.Error as reason:
        raise Error(f"{os.fspath(path)}: {reason}") from reason


def _connect(path: PathLike, mode: str) -> sqlite3.Connection:
    """Opens the file and reads its header, so that an unreadable file is reported here."""
    database = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True, timeout=60)
    try:
        database.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _open_store(path: PathLike) -> sqlite3.Connection:
    """Opens the file. A process killed while writing leaves a journal; SQLite rolls it back through a writable
    connection."""
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
                    "files into your own folder") from reason


def _select(database: sqlite3.Connection, columns: List[str], filters: Mapping[str, Any]) -> List[Run]:
    for name in filters:
        if name not in columns:
            raise Error(f"the store has no column '{name}'; it has {', '.join(columns)}")
    where = " AND ".join(f"{name} = ?" for name in filters) or "1"
    rows = database.execute(f"SELECT {', '.join(columns)} FROM runs WHERE {where} ORDER BY id", list(filters.values()))
    return [_stored(dict(zip(columns, row))) for row in rows]


def _stored(facts: Row) -> Run:
    """Returns a stored run; a failed one may have no statistics."""
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
    """Reads a file of `--sample`: one dictionary per row, with numbers converted (docs/how-to/over-time.md)."""
    return _rows(path, "cycle")


def timeline(path: PathLike) -> List[Row]:
    """Reads a file of `--timeline FILE.csv`: one dictionary per event."""
    return _rows(path, "cycle_begin")


def profile(path: PathLike) -> List[Row]:
    """Reads a file of `--profile`: one dictionary per instruction, with its kernel's name as `kernel` and lost slots as
    waits.NAME. Zeros are omitted, as in the file (docs/how-to/profiling.md)."""
    rows = []
    for kernel in _json(path, "kernels")["kernels"]:
        for instruction in kernel["instructions"]:
            row = {key: value for key, value in instruction.items() if key != "waits"}
            row.update({f"waits.{cause}": slots for cause, slots in instruction.get("waits", {}).items()})
            rows.append({"kernel": kernel["demangled"], **row})
    return rows


def _axes(axes: Any) -> Any:
    """Returns the caller's axes, or those of a new figure."""
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
        # above the bars
        axes.legend(fontsize="small", ncols=5, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1))
    if file:
        axes.figure.savefig(file)
    return axes


def plot_bars(rows: Mapping[str, Mapping[str, float]], unit: str = "", axes: Any = None, file: Optional[PathLike] = None) -> Any:
    """Plots grouped bars: {"stencil": {"none": 1.0, "MTHWP": 1.2}, ...}, one group per key, one bar per name. Returns
    matplotlib's axes."""
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
    """Plots cycle stacks of runs or kernels side by side, in percent of their slots or in slots. Returns matplotlib's
    axes."""
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
