#!/usr/bin/env python3
"""Writes inputs for test_launch_plan.sh into the current folder: NumPy files, and expected results by Python's own
arithmetic (struct's 'e' is IEEE half precision)."""
import random
import struct
import sys

random.seed(7)


def save(path, descr, shape, data, code, version=1, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {tuple(shape)}, }}"
    length = 2 if version == 1 else 4
    header += " " * (63 - (8 + length + len(header)) % 64) + "\n"
    prefix = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header))
    with open(path, "wb") as file:
        file.write(prefix + header.encode() + struct.pack(f"<{len(data)}{code}", *data))


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def half_bits(value):
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7c00 | (0x8000 if value < 0 else 0)


def bfloat_bits(value):
    """Rounds to the nearest, to even in the middle."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


# All finite halves, the middle between each two neighbors, and its neighbors: every case of rounding.
halves = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(0x7c00)]
singles = []
for low, high in zip(halves, halves[1:]):
    middle = single((low + high) / 2)
    bits = struct.unpack("<I", struct.pack("<f", middle))[0]
    for near in (bits - 1, bits, bits + 1):
        singles.append(struct.unpack("<f", struct.pack("<I", near))[0])
singles += [-value for value in singles[::17]] + [65519.0, 65520.0, -65520.0, 1e30, 1e-30, 0.0]
singles += [random.choice((-1, 1)) * single(random.uniform(1, 2) * 2.0 ** random.randint(-126, 126)) for _ in range(5000)]
save("singles.npy", "<f4", [len(singles)], singles, "f")
save("halves.npy", "<u2", [len(singles)], [half_bits(value) for value in singles], "H")
save("bfloats.npy", "<u2", [len(singles)], [bfloat_bits(value) for value in singles], "H")
save("half_values.npy", "<f2", [len(halves)], list(range(0x7c00)), "H", version=2)
save("half_singles.npy", "<f4", [len(halves)], halves, "f")
save("matrix.npy", "<f4", [4, 6], range(24), "f")
save("fortran.npy", "<f4", [4, 6], range(24), "f", order="True")
save("big.npy", ">f4", [4], range(4), "f")
save("complex.npy", "<c8", [2], range(4), "f")
save("empty.npy", "<f4", [0], [], "f")
save("flags.npy", "|b1", [4], [1, 0, 1, 1], "B")
save("wide.npy", "<i8", [3], [2**62 + 1, -5, 3], "q")
save("wide_changed.npy", "<i8", [3], [2**62 + 2, -5, 3], "q")
with open("short.npy", "wb") as file:
    file.write(open("matrix.npy", "rb").read()[:-4])
with open("count", "w") as file:
    file.write(f"{len(singles)} {len(halves)}\n")

if len(sys.argv) > 1:  # files with random changes
    original = open("matrix.npy", "rb").read()
    for index in range(int(sys.argv[1])):
        changed = bytearray(original)
        for _ in range(random.randint(1, 6)):
            changed[random.randrange(min(len(changed), 100))] = random.randrange(256)
        with open(f"changed{index}.npy", "wb") as file:
            file.write(changed[:random.randint(0, len(changed))] if random.random() < 0.3 else changed)
