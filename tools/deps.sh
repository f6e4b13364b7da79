#!/bin/sh
# `tools/deps.sh [build|test|browser]` installs missing Debian packages of packages.txt, for one purpose or for all.
# It runs as root or through sudo. If neither is possible, it prints the command to run. It is quick when nothing is
# missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=
[ "${1-}" != --missing ] || { list=yes && shift; }
purpose=${1:-build|test|browser}
packages=$(sed -nE "s/^($purpose) +([^ ]+).*/\2/p" "$here/packages.txt")
[ -n "$packages" ] || {
	echo "tools/deps.sh: expected build, test, browser, docs or nothing, not '$purpose'" >&2
	exit 2
}

if ! command -v dpkg-query >/dev/null; then
	echo "tools/deps.sh: this is not a Debian system; install what corresponds to:" $packages >&2
	exit 0
fi

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1)" = installed ] ||
		grep -qsx "$1" "${UNPACKED_PACKAGES:-/nowhere}/packages"
}

missing=
for package in $packages; do
	is_installed "$package" || missing="$missing $package"
done
[ -z "$list" ] || { echo "$missing" && exit 0; }
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
	as_root=sudo
else
	cat >&2 <<END
tools/deps.sh: packages are missing, and neither root nor sudo is available. Either an administrator runs:
  apt-get update && $install
or this unpacks them into a folder, without root:
  ./setup --prefix=\$HOME/sluice-packages
END
	exit 1
fi
echo "tools/deps.sh: installing$missing"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive $install
