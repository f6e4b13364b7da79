# Sourced with $sluice set: $preload is what a program must load first when libcudart has AddressSanitizer in it, since
# the program itself is not instrumented; its leaks cannot be told from the library's then.
preload=$(ldd "$(dirname "$sluice")/../lib/libcudart.so" | awk '/libasan/ { print $3 }')
if [ -n "$preload" ]; then
	ASAN_OPTIONS=detect_leaks=0
	export ASAN_OPTIONS
fi
