#!/bin/sh
# A module may include only itself and modules on lower layers (ARCHITECTURE.md). Prints each include that breaks this
# rule.
set -eu
cd "$(dirname "$0")/.."

# Modules with their layers. sluice.h is the public interface, on the layer of the module that implements it.
layers=$(cat tools/layers.txt)

find src -name '*.[ch]' | sort | xargs awk -v layers="$layers" '
	BEGIN {
		rows = split(layers, row, "\n")
		for (i = 1; i <= rows; i++) {
			split(row[i], field, " ")
			layer[field[1]] = field[2]
		}
	}
	FNR == 1 {
		split(FILENAME, part, "/")
		module = part[2]
		if (!(module in layer)) {
			printf "%s: module \"%s\" has no layer in tools/layers.txt\n", FILENAME, module
			bad++
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		split(quoted[2], part, "/")
		other = part[1]
		if (!(other in layer)) {
			# a file of the same folder
			if (quoted[2] !~ "/")
				next
			printf "%s:%d: includes \"%s\", which is in no module\n", FILENAME, FNR, quoted[2]
			bad++
		} else if (other != module && layer[other] >= layer[module]) {
			printf "%s:%d: %s (layer %d) includes \"%s\" (layer %d)\n", FILENAME, FNR, module, layer[module],
				quoted[2], layer[other]
			bad++
		}
		if (module == "mech" && other != "mech" && layer[other] >= layer["memory"] && other != "seam") {
			printf "%s:%d: a mechanism includes \"%s\"; it may include only seam/mech.h and the headers included there\n",
				FILENAME, FNR, quoted[2]
			bad++
		}
	}
	END { exit bad > 0 }
'
