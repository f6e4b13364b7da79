# lib.sh: functions shared by the tests of the command line. Usage of a test: `sh test_X.sh SLUICE SOURCE_DIR`.
sluice=$1
source_dir=$2
kernels=$source_dir/tests/data/reference/kernels
[ -x "$sluice" ] || {
	echo "no program $sluice"
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# try STATUS ARGUMENT...: runs sluice and checks its exit status. Its output is written to $work/out and $work/err.
try() {
	wanted=$1
	shift
	tried="sluice $*"
	got=0
	"$sluice" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

# try_program STATUS ARGUMENT...: like try, for a command that starts programs.
try_program() {
	. "$source_dir/tests/cuda/preload.sh"
	LD_PRELOAD=$preload
	export LD_PRELOAD
	try "$@"
	unset LD_PRELOAD
}

# try_full_disk STATUS BLOCKS ARGUMENT...: like try, where no file grows beyond this number of blocks of 512 bytes.
try_full_disk() {
	wanted=$1
	blocks=$2
	shift 2
	tried="sluice $* (full disk)"
	got=0
	(
		trap '' XFSZ
		ulimit -f "$blocks"
		exec "$sluice" "$@" >"$work/out" 2>"$work/err" </dev/null
	) || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

fail() {
	echo "FAILED: $tried: $1"
	sed 's/^/  out: /' "$work/out"
	sed 's/^/  err: /' "$work/err"
	failures=$((failures + 1))
}

# says out|err TEXT: the output contains the text.
says() {
	grep -qF -e "$2" "$work/$1" || fail "expected '$2' in std$1"
}

# says_only out|err TEXT: the output is exactly the text.
says_only() {
	[ "$(cat "$work/$1")" = "$2" ] || fail "expected std$1 to be '$2'"
}

silent() {
	[ ! -s "$work/$1" ] || fail "expected nothing on std$1"
}

finish() {
	[ "$failures" = 0 ] || exit 1
}
