#!/bin/sh
# test_deps.sh SOURCE_DIR: protects tools/deps.sh. If packages are missing and neither root nor sudo is available, it
# prints a command that installs them and exits with 1. If no package is missing it prints nothing.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A simulated system: only the commands that deps.sh calls.
for command in sh sed dirname head grep cat; do
	ln -s "$(command -v $command)" "$work/$command"
done
printf '#!/bin/sh\necho 1000\n' >"$work/id"
printf '#!/bin/sh\necho "$STATUS"\n' >"$work/dpkg-query"
chmod +x "$work/id" "$work/dpkg-query"

deps() { # STATUS PURPOSE: prints the output, then the exit status
	STATUS=$1 PATH=$work sh "$source_dir/tools/deps.sh" "$2" 2>&1
	echo "status $?"
}
fail() {
	printf 'FAILED: %s\n%s\n' "$1" "$printed"
	exit 1
}
source_dir=$1

printed=$(deps installed build)
[ "$printed" = "status 0" ] || fail "nothing is missing: expected no output"
printed=$(deps "" build)
case $printed in
*"an administrator runs"*"apt-get install -y --no-install-recommends gcc libc6-dev make "*"status 1") ;;
*) fail "expected a command that names the packages, and status 1" ;;
esac
case $printed in *valgrind*) fail "expected no packages that only tests need" ;; esac
printed=$(deps "" test)
case $printed in *valgrind*"status 1") ;; *) fail "expected the packages that tests need" ;; esac
printed=$(deps "" tset)
case $printed in *"expected build, test, browser, docs or nothing, not 'tset'"*"status 2") ;; *) fail "expected the purposes" ;; esac
