#!/bin/sh
# Protects programs that set a locale with a decimal comma. Machine files and device code are still read with a decimal
# point, and statistics and kernel output are written with one.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

# The test builds such a locale, since the host may have none.
printf 'LC_NUMERIC\ndecimal_point "<U002C>"\nthousands_sep "<U002E>"\ngrouping 3;3\nEND LC_NUMERIC\n' >comma
localedef -c -f UTF-8 -i comma ./comma.utf8 >/dev/null 2>&1
[ -e comma.utf8/LC_NUMERIC ] || exit 0 # no localedef

tried="a program with a decimal comma"
cat >program.cu <<'CU'
#include <clocale>
#include <cstdio>
__global__ void print() { printf("device %.2f\n", 0.5); }
int main()
{
	if (!setlocale(LC_NUMERIC, "comma.utf8"))
		return 2;
	print<<<1, 1>>>();
	cudaDeviceSynchronize();
	printf("host %.2f\n", 0.5);
	return 0;
}
CU
try 0 cc program.cu -o program
LOCPATH=$work LD_PRELOAD=$preload SLUICE_STATS=$work/stats.json ./program >out 2>err ||
	fail "exit status $?: $(cat err)"
says out "device 0.50"
says out "host 0,50"
python3 -c "import json; json.load(open('stats.json'))" || fail "the statistics are not valid JSON"
finish
