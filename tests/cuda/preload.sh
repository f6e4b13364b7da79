# Sets $preload to AddressSanitizer's library if libcudart uses it: programs must load it first, because they are not
# instrumented. Then a program's leaks and the library's are indistinguishable. Sourced with $sluice set.
preload=$(ldd "$(dirname "$sluice")/../lib/libcudart.so" | awk '/libasan/ { print $3 }')
if [ -n "$preload" ]; then
	ASAN_OPTIONS=detect_leaks=0
	export ASAN_OPTIONS
fi
