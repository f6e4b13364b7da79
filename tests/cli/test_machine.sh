#!/bin/sh
# Protects `sluice machine`: `show` prints a machine file of the same machine; `diff` shows exactly the differences.
set -u
. "$(dirname "$0")/lib.sh"

try 0 machine list
says out "gtx480"
try 0 machine show gtx480
cp "$work/out" "$work/same.yaml"
try 0 machine diff gtx480 "$work/same.yaml"
silent out
try 0 machine show -o sm.count=7 gtx480
cp "$work/out" "$work/other.yaml"
try 1 machine diff gtx480 "$work/other.yaml"
says out "sm.count"
[ "$(wc -l <"$work/out")" = 2 ] || fail "expected a heading and one line"

# Every machine can be built. Each idealised machine differs from its base in what it idealises.
for file in "$source_dir"/machines/*.yaml; do
	try 0 machine show "$(basename "$file" .yaml)"
done
for ideal in perfect-l1:sm.perfect_l1 zero-latency:sm.zero_latency_memory; do
	try 1 machine diff gtx480-teleport "gtx480-teleport-${ideal%%:*}"
	says out "${ideal#*:} "
	[ "$(wc -l <"$work/out")" = 3 ] || fail "expected a heading, the name and one line"
done
try 2 machine show no-such-machine
says_only err "sluice: error: no machine 'no-such-machine'; 'sluice machine list' lists them"
try 2 machine show gtx48
says_only err "sluice: error: no machine 'gtx48'; did you mean 'gtx480'?"
try 2 machine show "$work/"
says err "cannot read $work/: it is a folder; expected a file"

# A file in any folder can name one of our machines as its base, also in a folder of user machines.
mkdir "$work/own"
printf 'base: gtx480\nname: mine\nsm.count: 7\n' >"$work/own/mine.yaml"
try 0 machine show "$work/own/mine.yaml"
says out "  count: 7"
for name in mine gtx480; do
	SLUICE_MACHINES=$work/own try 0 machine show $name
done
printf 'sm: {count: 16}\n' >"$work/own/alone.yaml"
try 2 machine show "$work/own/alone.yaml"
says err "keys have no value; give them, or begin the file with 'base: OTHER'"
says err "sm.warps, sm.blocks"

# GPGPU-Sim's configurations: the one of gtx480 gives gtx480. Options without a counterpart are listed, and errors name
# their line.
config=$source_dir/tests/data/gpgpusim
try 1 machine diff gtx480 "$config/gpgpusim.config"
[ "$(wc -l <"$work/out")" = 2 ] || fail "expected a heading and the name"
try 0 machine show "$config/gpgpusim.config"
says err "network.icnt:3: k 27: changes no cycle"
cp "$config"/* "$work"
change() { # SED EXPECTED_STATUS
	sed "$1" "$config/gpgpusim.config" >"$work/gpgpusim.config"
	try "$2" machine show "$work/gpgpusim.config"
}
change 's/n_clusters 15/n_clusters 7/; s/cores_per_cluster 1/cores_per_cluster 2/; s/scheduler gto/scheduler two_level_active:6:0:1/' 0
says out "  count: 14"
says out "  per_cluster: 2"
says out "two_level:ready=6"
change 's/dram_scheduler 1/dram_scheduler 0/' 0
says err "-gpgpu_dram_scheduler 0: DRAM is scheduled first ready, first come"
change 's/shader_cta 8/shader_cta eight/' 2
says err "gpgpusim.config:10:1: error: -gpgpu_shader_cta: 'eight' is not a number"
change 's/shader_cta 8/shader_cta 100000/' 2
says err "'100000' is not a value of sm.blocks"
change 's/1536:32/1536:64/' 2
says err "warps have 32 threads"
change 's/32:128:4,L:L:m:N:L/32:128:4,L:Q:m:N:L/' 2
says err "'Q' is not a letter for l1d.write_hit"
change 's/network.icnt/none.icnt/' 2
says err "cannot read $work/none.icnt, which $work/gpgpusim.config names: No such file or directory"
change 's/^-gpgpu_n_mem 6/gpgpu_n_mem 6/' 2
says err "'1 gpgpu_n_mem 6' is not a number"
change 's/BBBCCCCB.CCSSSSSS/BBBBCCCC.CCSSSSSS/' 0 # version 3.2.1: all bank bits above the columns
says out "  column_bits: 4"
says out "  columns_lowest: true"
change '$a-gpgpu_smem_latency 24' 0
says out "  shared_latency: 24"
says out "first_path: taken"
# Sets that are no power of two need a linear index.
try 0 machine show gtx480-d2ma
says out "  sets: 48"
try 2 run -o l1d.sets=48 -o l1d.index=hashed -- true
says err "l1d.sets is 48; l1d.index hashed is defined for 32 and 64 sets"
try 2 run -o map.columns_lowest=true -o map.slices_inside=true -- true
says err "map.columns_lowest and map.slices_inside are both true"
# Caches that take writes may allocate on fills, unless they hold write misses.
try 2 run -m qv100 -o l2.allocation=on_fill -- true
says err "l2.allocation is on_fill; with l2.write_miss lazy it must be on_miss"
# Sub-cores and their options: a file with qv100's parameters gives qv100, and each of its options has an effect.
try 1 machine diff qv100 "$config/sub_cores.config"
[ "$(wc -l <"$work/out")" = 2 ] || fail "expected a heading and the name"
try 0 machine show "$config/sub_cores.config"
change_cores() { # SED TEXT...
	sed "$1" "$config/sub_cores.config" >"$work/cores.config"
	try 0 machine show "$work/cores.config"
	says out "$2"
}
change_cores 's/units_gen 8/units_gen 16/' "sub_core_collectors: 4"
change_cores 's/cache_config 1/cache_config 0/' "unified_bytes: 0"
change_cores 's/l1d_size 128/l1d_size 256/' "ways: 512"
change_cores 's/option 0,8,16,32,64,96/option 0,96/' "carve_outs: '0,96'"
change_cores 's/network_mode 2/network_mode 1/' "kind: router"
change_cores 's/memory_partition_indexing 2/memory_partition_indexing 0/' "slice_hash: none"
change_cores 's/memory_partition_indexing 2/memory_partition_indexing 4/' "slice_hash: random"
change_cores 's/n_mem 32/n_mem 24/' "channels: 24"
change_cores '$a-dram_bnk_indexing_policy 1' "bank_hash: xor"
change_cores 's/sim_memcpy 0/sim_memcpy 1/' "copies_fill_l2: true"
change_cores 's/issue_per_warp 1/issue_per_warp 2/' "issue_per_warp: 2"
change_cores '/issue_per_warp/d' "issue_per_warp: 2" # GPGPU-Sim's default
change_cores 's/diff_exec_units 0/diff_exec_units 1/' "issue_other_pipe: true"
change_cores 's/l1_latency 20/l1_latency 82/' "l1_latency: 82"
change_cores 's/fetch_throughput 4/fetch_throughput 8/' "fetches: 8"
change_cores 's/L:T:m:L:L/L:L:s:N:L/' "allocation: on_fill"
differs() { # SED TEXT...
	sed "$1" "$config/sub_cores.config" >"$work/cores.config"
	try 1 machine diff qv100 "$work/cores.config"
	tr -s ' ' <"$work/out" >"$work/narrow"
	says narrow "$2"
}
differs 's/num_int_units 4/num_int_units 0/' "runs_on.add.int int sp"
differs 's/num_dp_units 4/num_dp_units 0/' "runs_on.mad.fp64 dp sfu"
differs 's/latency_tesnor 64/latency_tesnor 32/' "latency.mma_8k.int 64 32"
differs 's/4,13,4,5,145,21/4,13,4,7,145,21/' "latency.fma.int 5 7"
differs 's/4,13,4,5,145,21/4,13,4,7,145,21/' "latency.mad24.int 6 8"
# Ignored options are named once by run if they can change cycles.
sed '$a-dram_seperate_write_queue_enable 1' "$config/sub_cores.config" >"$work/cores.config"
try 0 machine show "$work/cores.config"
says err "-dram_seperate_write_queue_enable 1: reads and writes share the scheduler's queue"
change_cores 's/RBBBCCCB.CCCSSSSS/RRBBBCCC.CBCSSSSS/' "slices_inside: true"
change_cores 's/bus_interface 1/bus_interface 0/' "dual_bus: false"
change_cores 's/const_cache 1/const_cache 0/' "perfect: false"
change_cores '$a-gpgpu_kernel_launch_latency 5000' "latency: 5000"
sed 's/indexing 2/indexing 3/' "$config/sub_cores.config" >"$work/cores.config"
try 0 machine show "$work/cores.config"
says err "-gpgpu_memory_partition_indexing 3: slices are chosen by"
try 2 machine show "$work/none.config"
says err "cannot read $work/none.config: No such file or directory"

finish
