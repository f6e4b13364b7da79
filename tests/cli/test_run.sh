#!/bin/sh
# Protects `sluice run`: the program's environment, the exit status, and errors that are found before the program
# starts.
set -u
. "$(dirname "$0")/lib.sh"

try 7 run -- sh -c 'exit 7'
try 127 run -- "$work/no-such-program"
says err "sluice run: cannot start $work/no-such-program: No such file or directory"
echo data >"$work/data"
try 126 run -- "$work/data"
says err "sluice run: cannot start $work/data: Permission denied"
try 126 run "$work"
says err "cannot start $work: Permission denied; it is a folder"
try 127 run -- "$work/none.cu"
says err "No such file or directory; 'sluice cc' compiles CUDA source to a program"
(
	cd "$work" || exit 1
	printf '#!/bin/sh\n' >here.sh
	chmod +x here.sh
	"$sluice" run here.sh 2>err
	grep -q "write ./ before the name of a program in this folder" err
) || fail "expected advice on a program in the current folder"

# The program's arguments are its own, also those with control characters, with and without --.
word=$(printf -- '-\001a=\002')
for before in -- --no-progress; do
	try 0 run $before sh -c 'printf "%s" "$1"' sh "$word"
	[ "$(cat "$work/out")" = "$word" ] || fail "expected the program's argument as it was given"
done
# A value may have control characters; a message shows none.
file=$(printf '%s/c\001.json' "$work")
try 0 run "--stats=$file" sh -c 'printf "%s" "$SLUICE_STATS"'
[ "$(cat "$work/out")" = "$file" ] || fail "expected the file's name as it was given"
try 2 run "$(printf -- '--machine=a\001')" true
says err "no machine 'a?'"
try 2 run "$(printf -- '-ma\001')" true
says err "no machine 'a?'"
try 2 run "$(printf -- '--ma\001chine=a')" true
says err "unrecognized option '--ma?chine=a'"

unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
unset SLUICE_PROGRESS
cat >"$work/show" <<'SHOW'
for name in MACHINE OPTIONS STATS STATS_FORMAT FUNCTIONAL MAX_INSTRUCTIONS PROGRESS; do
	eval "printf '%s\n' \"SLUICE_$name=\${SLUICE_$name-unset}\""
done
printf '%s\n' "LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}"
SHOW
try 0 run -m gtx480 -o sm.count=2 -o sm.count=3 --stats "$work/s.json" --functional --max-instructions 9 \
	--no-progress -- sh "$work/show"
says out "SLUICE_MACHINE=gtx480"
grep -qx "SLUICE_OPTIONS=sm.count=2" "$work/out" || fail "expected the first option"
grep -qx "sm.count=3" "$work/out" || fail "expected the second option in a line of its own"
says out "SLUICE_STATS=$work/s.json"
says out "SLUICE_STATS_FORMAT=json"
says out "SLUICE_FUNCTIONAL=1"
says out "SLUICE_MAX_INSTRUCTIONS=9"
says out "SLUICE_PROGRESS=0"
grep -q '^LD_LIBRARY_PATH=.*/lib' "$work/out" || fail "expected our libraries"

# Paths are absolute and normalized.
(cd "$work" && "$sluice" run --stats ././s.json -- sh "$work/show" >out 2>err)
says out "SLUICE_STATS=$work/s.json"

# No variable is set without its option.
try 0 run -- sh "$work/show"
[ "$(grep -c '^SLUICE_.*=unset$' "$work/out")" = 7 ] || fail "expected no settings"

# Options after the program belong to the program.
try 0 run echo --functional -m
says_only out "--functional -m"

# A note says so if they look like Sluice's options, which is usually a mistake. There is no note after --, or for the
# program's real options.
for words in "--mech=gto" "--mech gto" "x --stats s.json" "-m gtx480" "-o sm.count=3"; do
	# shellcheck disable=SC2086 # words
	try 0 run true $words
	says err "sluice run: note: -"
	says err "follows true, so that program gets it"
	# shellcheck disable=SC2086 # words
	try 0 run -- true $words
	silent err
done
try 0 run true -m 3 -o out.txt -o a=b --size=small --mechanism -x
silent err

# The environment's options apply first.
SLUICE_OPTIONS=sm.count=4
export SLUICE_OPTIONS
try 0 run -o sm.count=5 -- sh -c 'echo $SLUICE_OPTIONS'
says_only out "sm.count=4 sm.count=5"
unset SLUICE_OPTIONS

# A program that cannot use our runtime gets a note and runs: one without CUDA, or one linked statically (nvcc's
# default). There is no note if a library of the program loads the runtime, for scripts, or for programs that start
# others.
try 7 run -- sh -c 'exit 7'
silent err
printf '#!/bin/sh\n' >"$work/script"
chmod +x "$work/script"
try_program 0 run -- "$work/script"
silent err
echo 'int main(void) { return 3; }' >"$work/plain.c"
for flag in "" -static; do
	# shellcheck disable=SC2086 # a flag or none
	cc $flag "$work/plain.c" -o "$work/plain" || fail "expected the compiler to work"
	try 3 run -- "$work/plain"
	says_only err "sluice run: note: $work/plain does not load libcudart.so, so Sluice simulates nothing of it; 'sluice cc' makes a program that does, as does nvcc with -cudart shared"
done
echo 'int cudaGetDeviceCount(int *); int own(void) { int n; return cudaGetDeviceCount(&n); }' >"$work/own.c"
echo 'int own(void); int main(void) { return own(); }' >"$work/through.c"
libraries=$(dirname "$sluice")/../lib
cc -shared -fPIC "$work/own.c" -o "$work/libown.so" -L"$libraries" -lcudart
cc "$work/through.c" -o "$work/through" -L"$work" -lown -Wl,-rpath,"$work" -Wl,--allow-shlib-undefined
try_program 0 run -- "$work/through"
silent err

try 2 run -m no-such-machine -- touch "$work/started"
says err "no-such-machine"
try 2 run -o sm.cuont=5 -- touch "$work/started"
says err "did you mean 'sm.count'?"
try 2 run --stats "$work/none/s.json" -- touch "$work/started"
says err "sluice run: cannot write $work/none/s.json: No such file or directory"
[ ! -e "$work/started" ] || fail "the program was started"

finish
