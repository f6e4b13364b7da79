# Converts the output of `nm -D` of a shared library to its list of functions, for static_library.c.
$2 == "T" && sub(/@@.*/, "", $3) { printf "ENTRY(\"%s\")\n", $3 }
