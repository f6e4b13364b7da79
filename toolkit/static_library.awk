# Makes, of `nm -D` of a shared library, the list of the functions that programs can be linked with, for static_library.c.
$2 == "T" && sub(/@@.*/, "", $3) { printf "ENTRY(\"%s\")\n", $3 }
