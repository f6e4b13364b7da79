#!/bin/sh
# A module may include only itself and modules on lower floors (ARCHITECTURE.md). Prints each include that breaks this
# rule.
set -eu
cd "$(dirname "$0")/.."

# Modules with their floors. sluice.h is the public interface, on the floor of the module that implements it.
floors=$(cat tools/floors.txt)

find src -name '*.[ch]' | sort | xargs awk -v floors="$floors" '
	BEGIN {
		rows = split(floors, row, "\n")
		for (i = 1; i <= rows; i++) {
			split(row[i], field, " ")
			floor[field[1]] = field[2]
		}
	}
	FNR == 1 {
		split(FILENAME, part, "/")
		room = part[2]
		if (!(room in floor)) {
			printf "%s: module \"%s\" has no floor in tools/floors.txt\n", FILENAME, room
			bad++
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		split(quoted[2], part, "/")
		other = part[1]
		if (!(other in floor)) {
			# a file of the same folder
			if (quoted[2] !~ "/")
				next
			printf "%s:%d: includes \"%s\", which is in no module\n", FILENAME, FNR, quoted[2]
			bad++
		} else if (other != room && floor[other] >= floor[room]) {
			printf "%s:%d: %s (floor %d) includes \"%s\" (floor %d)\n", FILENAME, FNR, room, floor[room],
				quoted[2], floor[other]
			bad++
		}
		if (room == "mech" && other != "mech" && floor[other] >= floor["memory"] && other != "seam") {
			printf "%s:%d: a mechanism includes \"%s\"; it may include only seam/mech.h and the headers included there\n",
				FILENAME, FNR, quoted[2]
			bad++
		}
	}
	END { exit bad > 0 }
'
