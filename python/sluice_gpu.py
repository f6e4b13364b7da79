"""A simulated GPU inside a Python process: loads PTX, launches kernels, reads counters of launches and of single SMs.

    import sluice_gpu
    with sluice_gpu.Gpu(machine="gtx480", mechanisms=["mthwp"]) as gpu:
        gpu.load(open("vecadd.ptx").read())
        a = gpu.alloc(4096)
        gpu.launch("vecadd", grid=4, block=256, arguments=[a])
        print(gpu.counter("l1d.misses"), gpu.counter("l1d.misses", unit=3))

It calls libsluice through ctypes; include/sluice.h documents the calls. To run whole CUDA programs, use sluice.py instead.
"""

from __future__ import annotations

import ctypes
import glob
import os
import struct
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

__all__ = ["Counter", "Error", "Gpu", "library"]

Dim = Union[int, Tuple[int, int], Tuple[int, int, int]]
SCOPES = ("SM", "slice", "channel", "network", "GPU")  # enum sluice_scope
ALL_UNITS = -1


class Error(Exception):
    """The message of a call that failed."""


class _Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("fault", c_int), ("message", ctypes.c_char * 8192)]


class _Dim(ctypes.Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32)]


class _Settings(ctypes.Structure):
    """The first members of struct sluice_settings: `size` tells the library that there are no more."""
    _fields_ = [("size", c_size_t), ("machine", c_char_p), ("options", POINTER(c_char_p)), ("mechanisms", POINTER(c_char_p)),
                ("functional", c_bool), ("threads", c_uint32)]


class _Counter(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p), ("scope", c_int),
                ("units", c_uint32), ("is_derived", c_bool), ("is_largest", c_bool)]


class Counter(NamedTuple):
    """A counter's declaration. `units` of the kind `scope` count it; 0: it has no value per unit."""
    name: str
    unit: str
    meaning: str
    scope: str
    units: int
    is_derived: bool
    is_largest: bool


def _path() -> str:
    """libsluice.so: SLUICE_LIBRARY, else of the installation that this file is part of, else of the source tree's build."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("SLUICE_LIBRARY")
    for pattern in ("../../../lib/libsluice.so*", "../../../lib/*/libsluice.so*", "../../../lib64/libsluice.so*",
                    "../build/lib/libsluice.so*"):
        found = [named] if named else sorted(glob.glob(os.path.normpath(here / pattern)))
        if found:
            return found[0]
    raise Error("there is no libsluice.so; SLUICE_LIBRARY can name it")


_RESULTS: Dict[str, Any] = {
    "sluice_version": c_char_p, "sluice_find_kernel": c_void_p, "sluice_counter_count": c_size_t, "sluice_counter_find": c_bool,
    "sluice_launch_count": c_uint64, "sluice_kernel_param": c_bool, "sluice_close": None,
}


def library() -> ctypes.CDLL:
    """libsluice, with the types that its calls return."""
    loaded = ctypes.CDLL(_path())
    for name, result in _RESULTS.items():
        getattr(loaded, name).restype = result
    return loaded


def _list(words: Sequence[str]) -> Any:
    return (c_char_p * (len(words) + 1))(*[word.encode() for word in words], None)


def _dim(size: Dim) -> _Dim:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    return _Dim(*(sizes + (1, 1))[:3])


class Gpu:
    """A gpu of include/sluice.h. Close it, or use it in a `with`. One thread at a time may use it."""

    def __init__(self, machine: str = "gtx480", options: Sequence[str] = (), mechanisms: Sequence[str] = (), functional: bool = False,
                 threads: int = 1):
        self._library = library()
        self._error = _Error()
        self._gpu = c_void_p()
        self._modules: List[c_void_p] = []
        settings = _Settings(ctypes.sizeof(_Settings), machine.encode(), _list(options), _list(mechanisms), functional, threads)
        self._must(self._library.sluice_open(byref(self._gpu), byref(settings), byref(self._error)))

    def __enter__(self) -> Gpu:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the gpu with its memory; a second call does nothing."""
        self._library.sluice_close(self._gpu)
        self._gpu = c_void_p()

    def _must(self, status: int) -> None:
        if status:
            raise Error(self._error.message.decode(errors="replace"))

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        if not self._gpu:
            raise Error("the gpu is closed")
        self._must(function(self._gpu, *arguments, byref(self._error)))

    def load(self, ptx: str, name: str = "module.ptx") -> None:
        """Loads PTX; `name` stands in messages."""
        module, text = c_void_p(), ptx.encode()
        self._call(self._library.sluice_load, text, c_size_t(len(text)), name.encode(), byref(module))
        self._modules.append(module)

    def alloc(self, size: int) -> int:
        """The address of `size` bytes of device memory."""
        address = c_uint64()
        self._call(self._library.sluice_alloc, c_uint64(size), byref(address))
        return address.value

    def write(self, address: int, data: bytes) -> None:
        self._call(self._library.sluice_write, c_uint64(address), data, c_uint64(len(data)))

    def read(self, address: int, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self._call(self._library.sluice_read, data, c_uint64(address), c_uint64(size))
        return data.raw

    def _kernel(self, name: str) -> c_void_p:
        for module in self._modules:
            kernel = self._library.sluice_find_kernel(module, name.encode())
            if kernel:
                return c_void_p(kernel)
        raise Error(f"no module has a kernel '{name}'")

    def _argument(self, kernel: c_void_p, number: int, value: Union[int, float, bytes]) -> Any:
        """The bytes of a parameter: an integer or a float of the parameter's size, or bytes as they are."""
        offset, size = c_uint32(), c_uint32()
        if not self._library.sluice_kernel_param(kernel, c_uint32(number), byref(offset), byref(size)):
            raise Error(f"the kernel has no parameter {number}")
        if isinstance(value, float):
            value = struct.pack("<f" if size.value == 4 else "<d", value)
        elif isinstance(value, int):
            value = (value % (1 << 8 * size.value)).to_bytes(size.value, "little")
        if len(value) != size.value:
            raise Error(f"parameter {number} has {size.value} bytes, not {len(value)}")
        return ctypes.create_string_buffer(value, size.value)

    def launch(self, kernel: str, grid: Dim, block: Dim, arguments: Sequence[Union[int, float, bytes]] = (), shared: int = 0) -> int:
        """Runs a kernel to its end with `shared` bytes of dynamic shared memory, and returns the launch's number."""
        found = self._kernel(kernel)
        values = [self._argument(found, i, value) for i, value in enumerate(arguments)]
        pointers = (c_void_p * (len(values) + 1))(*[ctypes.addressof(value) for value in values], None)
        number = self.launches + 1
        self._call(self._library.sluice_launch, found, _dim(grid), _dim(block), c_uint32(shared), pointers)
        return number

    @property
    def launches(self) -> int:
        """Launches so far, of kernels by kernels too."""
        return self._library.sluice_launch_count(self._gpu)

    def counter(self, name: str, launch: Optional[int] = None, unit: int = ALL_UNITS) -> float:
        """A counter of a launch, from 1 (None: the last; 0: the whole run), of all units or of one SM, slice or channel, from 0."""
        value = c_double()
        self._call(self._library.sluice_counter_read, name.encode(), c_uint64(self.launches if launch is None else launch),
                   c_int64(unit), byref(value))
        return value.value

    def counters(self) -> List[Counter]:
        """The declarations of all counters."""
        return [self._describe(number) for number in range(self._library.sluice_counter_count(self._gpu))]

    def describe(self, name: str) -> Counter:
        """The declaration of one counter."""
        number = c_size_t()
        if not self._library.sluice_counter_find(self._gpu, name.encode(), byref(number)):
            raise Error(f"no counter '{name}'")
        return self._describe(number.value)

    def _describe(self, number: int) -> Counter:
        row = _Counter(ctypes.sizeof(_Counter))
        self._call(self._library.sluice_counter_describe, c_size_t(number), byref(row))
        return Counter(row.name.decode(), row.unit.decode(), row.meaning.decode(), SCOPES[row.scope], row.units, row.is_derived,
                       row.is_largest)
