#!/bin/sh
# Builds the API reference of include/sluice.h and seam/mech.h with Doxygen: tools/api_docs.sh [FOLDER].
# The default folder is build/site/api.
# The exit status is 1 when Doxygen warns, 2 when it is not installed.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/site/api}
command -v doxygen >/dev/null || {
	echo "tools/api_docs.sh: doxygen is not installed: apt-get install doxygen"
	exit 2
}
mkdir -p "$folder"
version=$(sed -n 's/^project(sluice VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
	cat docs/Doxyfile
	echo "PROJECT_NUMBER = $version"
	echo "OUTPUT_DIRECTORY = $folder"
	echo "HTML_OUTPUT = ."
	echo "WARN_LOGFILE = $log"
} | doxygen - >/dev/null
if [ -s "$log" ]; then
	cat "$log"
	exit 1
fi
echo "$folder/index.html"
