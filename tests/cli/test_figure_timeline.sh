#!/bin/sh
# Protects `sluice figure` for timelines (show: timeline): the table, its sums, the CSV and the picture's data, for a
# run with a known timeline. Wrong events and SMs are refused before anything runs. The program is a script that writes
# a timeline as the runtime does.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
export SLUICE_PROGRAMS="$work/programs" SLUICE_EXPERIMENTS="$work/experiments" TMPDIR="$work/tmp"
mkdir -p "$work/programs/one" "$work/experiments" "$work/tmp"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

printf 'name: one\nabout: x\nvariants: [plain, dma]\n' >programs/one/program.yaml
cat >programs/one/one <<SCRIPT
#!/bin/sh
echo run >>'$work/calls'
[ -z "\${SLUICE_TIMELINE-}" ] || cp '$work/timeline' "\$SLUICE_TIMELINE"
case "\$*" in *dma*) sed -i 's/staging/d2ma/' "\$SLUICE_TIMELINE" ;; esac
echo '{"kernels": [{"name": "_Z3addPf", "cycles": 100, "counters": {}}], "totals": {}}' >"\$SLUICE_STATS"
echo PASS
SCRIPT
chmod +x programs/one/one

# Launches of three kernels; "readd" is not "add". The figure shows tracks 0 and 3 on SM 0 for the second kernel: slots
# 0 and 1, with two tracks per slot. Blocks 4 and 7 follow each other in slot 1. Excluded: an event on SM 1, one of
# another kernel, and one that begins at the end of the shown range.
cat >timeline <<'CSV'
kernel,cycle_begin,cycle_end,unit,track,name,args
1,5,50,SM 0,0,staging.agen,array=0 bytes=4
1,0,60,GPU,0,"void sub<int, 2>(float*)",launch=1
3,0,60,GPU,0,"void readd<int, 2>(float*)",launch=3
2,20,50,SM 0,0,staging.mem,array=0 bytes=4
2,10,20,SM 0,0,staging.agen,array=0 bytes=4
2,15,45,SM 0,3,staging.agen,array=1 bytes=4
2,70,110,SM 0,3,staging.mem,array=1 bytes=4
2,100,120,SM 0,0,staging.agen,array=0 bytes=4
2,12,13,SM 1,0,staging.agen,array=0 bytes=4
2,5,60,SM 0,1,block,number=4 warps=8
2,60,120,SM 0,1,block,number=7 warps=8
2,0,120,SM 0,0,block,number=0 warps=8
2,0,130,GPU,0,"void add<int, 2>(float*)",launch=2
CSV
experiment() {
	cat >"experiments/$1.yaml"
}
experiment tiles <<'YAML'
title: Two tracks
source: a paper
show: timeline
events: [agen, staging.mem, d2ma.mem]
until: 100
columns:
  plain: {machine: gtx480, mechanisms: [staging], block_tracks: 2}
  engine: {machine: gtx480, variant: dma, mechanisms: [d2ma], block_tracks: 2}
rows:
  one: {kernel: add}
YAML
row() {
	grep -qE "^$1\$" out || fail "expected the row $1"
}
line() {
	grep -qxF "$1" "$2" || fail "expected '$1' in $2"
}

try 0 figure tiles
says out "Two tracks (a paper)"
says out "size small; SM 0, core cycles 0 to 100 of a kernel"
says out "plain: void add<int, 2>(float*), launch 2, 130 cycles"
row 'slot 0,0 +0 +agen +10 +20 +10'
row 'slot 1,1 +4 +agen +15 +45 +30'
row 'slot 1,1 +7 +staging.mem +70 +110 +40'
row 'slot 1,1 +7 +d2ma.mem +70 +110 +40'
row 'agen +2 +40 +20\.0 +35'        # 10 to 20 and 15 to 45
row 'staging.mem +2 +60 +30\.0 +60' # the sums end at cycle 100
row 'staging.mem +0 +0 +0\.0 +0'    # the other column
line 'row,column,kernel,launch,sm,track,block,event,begin,end,cycles' figures/tiles.csv
line 'one,plain,"void add<int, 2>(float*)",2,0,"slot 0,0",0,agen,10,20,10' figures/tiles.csv
line 'one,engine,"void add<int, 2>(float*)",2,0,"slot 1,1",7,d2ma.mem,70,110,40' figures/tiles.csv
[ "$(wc -l <figures/tiles.csv)" = 9 ] || fail "expected four events a column"
# The picture's data: begin, end, lane. A bar is cut at the end of the axis.
line '70 100 1' figures/tiles.gp
line 'set xrange [0:100]' figures/tiles.gp
grep -q '^set label "(b) engine"' figures/tiles.gp || fail "expected a panel for the second column"
grep -q '"slot 0,0" 0.5, "slot 1,1" 1.5' figures/tiles.gp || fail "expected two lanes"
[ "$(grep -c 'title "agen"' figures/tiles.gp)" = 2 ] || fail "expected one legend in the SVG and the PDF"
grep -q '<svg' figures/tiles.svg || fail "expected a picture"
[ -z "$(ls tmp)" ] || fail "expected no file to be left"

# It runs each time. Its statistics are stored like those of other runs.
[ "$(wc -l <calls)" = 2 ] || fail "expected two runs"
try 0 figure tiles -q
[ "$(wc -l <calls)" = 4 ] || fail "expected two more"
try 0 results --counter cycles
[ "$(grep -c '^one ' out)" = 2 ] || fail "expected the two in the results"
: >calls

# Without `events`: all events that mechanisms draw. Without slots, tracks have their own names. Without a range: the
# whole kernel. A slot with a single block is labeled with the block's name.
experiment all <<'YAML'
title: All
show: timeline
columns:
  plain: {machine: gtx480, mechanisms: [staging]}
rows: {one: {kernel: add}}
YAML
try 0 figure all
row 'track 0 +- +agen +100 +120 +20'
says out "core cycles 0 to 130 of"
sed -e 's/\[staging\]/[staging], block_tracks: 4/' -e 's/{kernel: add}/{kernel: sub}/' -e 's/All/&\nevents: [staging.agen]/' \
	experiments/all.yaml >experiments/other.yaml
echo '1,0,60,SM 0,0,block,number=3 warps=8' >>timeline
try 0 figure other
row 'b3,0 +3 +staging.agen +5 +50 +45'
: >calls

# Errors are reported before anything runs.
wrong() {
	sed "$1" experiments/tiles.yaml >experiments/wrong.yaml
	try 2 figure wrong
	says err "$2"
	[ ! -s calls ] || fail "expected nothing to run"
}
wrong 's/d2ma.mem/d2ma.men/' "events: no column has an event 'd2ma.men'; there are staging.agen, staging.mem, staging.comp, d2ma.agen, d2ma.mem, d2ma.comp, block"
wrong 's/agen, staging.mem, //' "in column plain: none of the events occurs in it; there are staging.agen, staging.mem, staging.comp, block"
wrong 's/until/sm: 15\n&/' "in column plain: sm: there is no SM 15; the machine has 15, numbered from 0"
wrong 's/until/metric: cycles\n&/' "show: a timeline can have no metric, mean or relative_to"
wrong 's/dma, /dma, metric: cycles, /' "engine: a timeline can have no metric, show or relative_to"
wrong 's/show: timeline/metric: cycles/' "events, sm and until are allowed only with show: timeline"
try 2 figure tiles --no-run
says err "a timeline needs a new run, which --no-run forbids"
[ -z "$(ls tmp)" ] || fail "expected no file to be left"

# An empty picture is an error.
sed 's/kernel: add/kernel: mul/' experiments/tiles.yaml >experiments/none.yaml
try 1 figure none
says err "plain: no such kernel was launched"
sed 's/until/sm: 2\n&/' experiments/tiles.yaml >experiments/none.yaml
try 1 figure none
says err "plain: none of the events happened on that SM in those cycles"
finish
