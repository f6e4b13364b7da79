#!/usr/bin/env python3
"""Prints include/cuda/sluice/random/xorwow_jumps.inc: polynomials that advance XORWOW (Marsaglia, Xorshift RNGs, 2003,
section 3.1) by many steps.

A step is linear over GF(2), with a characteristic polynomial P of degree 160. So the state after n steps is a sum of
the first 160 states, each multiplied by a coefficient of x^n mod P. Rows are x^(2^k) mod P, lowest coefficient first,
in five words: k from 0 to 63, then from 67 to 130.
"""

DEGREE = 160
MASK = 0xFFFFFFFF


def bits(count):
    """Returns the lowest bit of the last word after each step."""
    x, y, z, w, v = 1, 0, 0, 0, 0
    for _ in range(count):
        t = x ^ (x >> 2)
        x, y, z, w, v = y, z, w, v, (v ^ (v << 4) ^ t ^ (t << 1)) & MASK
        yield v & 1


def characteristic(sequence):
    """Returns the shortest recurrence of a bit sequence (Massey, 1969) as a polynomial: bit i is the coefficient of
    x^i."""
    connection, previous, length, gap, seen = 1, 1, 0, 1, 0
    for position, bit in enumerate(sequence):
        seen = seen << 1 | bit
        if not bin(connection & seen).count("1") % 2:
            gap += 1
            continue
        before = connection
        connection ^= previous << gap
        gap += 1
        if 2 * length <= position:
            length, previous, gap = position + 1 - length, before, 1
    assert length == DEGREE
    return int(format(connection, f"0{DEGREE + 1}b")[::-1], 2)


def square(value, modulus):
    """Returns the square of a polynomial modulo P: inserts zeros between its bits, then reduces."""
    value = int("0".join(format(value, "b")), 2)
    for degree in range(value.bit_length() - 1, DEGREE - 1, -1):
        if value >> degree & 1:
            value ^= modulus << degree - DEGREE
    return value


def main():
    modulus = characteristic(bits(2 * DEGREE))
    powers = [2]
    for _ in range(DEGREE):
        powers.append(square(powers[-1], modulus))
    assert powers[DEGREE] == powers[0]  # the period equals the number of non-zero states, or divides it
    print("/* Printed by tools/xorwow_jumps.py, which describes the format. */")
    for k in [*range(64), *range(67, 131)]:
        words = [powers[k] >> 32 * i & MASK for i in range(5)]
        print("{" + ", ".join(f"0x{word:08x}" for word in words) + "},")


main()
