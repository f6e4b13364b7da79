#!/bin/sh
# sluice mech and --mech: what is shown, and what is refused before a program starts.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

try 0 mech list
for name in lrr gto two_level; do
	grep -q "^$name  *warp order: " out || fail "expected $name"
done
try 0 mech show two_level
says out "seats: the warp order"
says out "(1 to 64 warps)"
try 2 mech show two_levle
says err "no mechanism 'two_levle'; did you mean 'two_level'?"
try 2 mech show
says err "expected list or show NAME"

# What is wrong with a mechanism is said before the program starts.
refused() { # MESSAGE ARGUMENT...
	message=$1
	shift
	try 2 run "$@" -- touch started
	says err "$message"
	[ ! -e started ] || fail "the program was started"
}
refused "no mechanism 'gtoo'; did you mean 'gto'?" --mech gtoo
refused "mechanism two_level has no option 'raedy'; did you mean 'ready'?" --mech two_level:raedy=3
refused "mechanism two_level: ready: expected a whole number from 1 to 64 in warps, not '65'" --mech two_level:ready=65
refused "'ready'; expected KEY=VALUE" --mech two_level:ready
refused "mechanisms gto and lrr both own the warp order; only one of them can" --mech gto --mech lrr
refused "mechanism gto is attached twice" --mech gto --mech gto
refused "a functional run has no cycles" --mech gto --functional
try 0 run --mech gto -- sh -c 'echo "$SLUICE_MECHANISMS"'
says_only out gto

# Shared objects: by a path, or by a name that ends in .so.
object() { # NAME TEXT
	# shellcheck disable=SC2046 # no spaces in it
	printf '#include "seam/mech.h"\n%s\n' "$2" | cc -shared -fPIC -xc $("$sluice" mech --cflags) - -o "$1.so"
}
object none ''
object old 'static const struct mech old = {.version = 0, .name = "old"}; MECHANISM(old);'
object mine 'static const struct mech mine = {.version = MECH_VERSION, .name = "mine", .summary = "does nothing",
	.citation = "nobody"}; MECHANISM(mine);'
object seat 'static const struct mech seat = {.version = MECH_VERSION, .name = "seat",
	.seats = MECH_SEAT_BUFFER}; MECHANISM(seat);'
try 0 mech show mine.so
says out "mine: does nothing"
refused "none.so: no symbol sluice_mechanism; expected MECHANISM(...) of seam/mech.h" --mech ./none.so
refused "old.so: made for version 0 of seam/mech.h" --mech "$work/old.so"
refused "mechanism seat owns the buffer in front of L1 but has no hook buffer" --mech seat.so
refused "cannot load mechanism $work/absent.so" --mech absent.so
try 0 run --mech mine.so -- sh -c 'cd / && echo "$SLUICE_MECHANISMS"'
says_only out "$work/mine.so"

finish
