"""The counters that ncu reads for each launch, and its CSV."""

import csv
import subprocess
from dataclasses import dataclass

# Sums over the GPU unless the name says otherwise. A card that lacks one goes without it.
METRICS = """
gpc__cycles_elapsed.max gpc__cycles_elapsed.avg.per_second sm__cycles_elapsed.max sm__cycles_active.avg
sm__cycles_active.max gpu__time_duration.sum
smsp__inst_executed.sum smsp__thread_inst_executed.sum smsp__inst_issued.sum
smsp__inst_executed_op_global_ld.sum smsp__inst_executed_op_global_st.sum
smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum
smsp__inst_executed_op_local_ld.sum smsp__inst_executed_op_local_st.sum
smsp__inst_executed_pipe_alu.sum smsp__inst_executed_pipe_fma.sum smsp__inst_executed_pipe_fp64.sum
smsp__inst_executed_pipe_fp16.sum smsp__inst_executed_pipe_xu.sum smsp__inst_executed_pipe_lsu.sum
smsp__inst_executed_pipe_cbu.sum smsp__inst_executed_pipe_adu.sum smsp__inst_executed_pipe_uniform.sum
smsp__inst_executed_pipe_tensor.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum
l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts.sum
l1tex__m_xbar2l1tex_read_sectors.sum l1tex__m_l1tex2xbar_write_sectors.sum
lts__t_sectors.sum lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum lts__t_sectors_op_atom.sum
lts__t_sectors_op_red.sum lts__t_sectors_lookup_hit.sum lts__t_sectors_lookup_miss.sum
lts__t_sectors_srcunit_tex.sum lts__t_sectors_srcunit_tex_lookup_hit.sum lts__t_requests_srcunit_tex.sum
dram__bytes_read.sum dram__bytes_write.sum dram__cycles_elapsed.avg.per_second
sm__warps_active.avg.per_cycle_active launch__registers_per_thread launch__shared_mem_per_block
launch__occupancy_limit_blocks launch__occupancy_limit_registers launch__occupancy_limit_shared_mem
launch__occupancy_limit_warps launch__waves_per_multiprocessor launch__shared_mem_config_size
smsp__average_warp_latency_issue_stalled_long_scoreboard.ratio
smsp__average_warp_latency_issue_stalled_short_scoreboard.ratio
smsp__average_warp_latency_issue_stalled_barrier.ratio
smsp__average_warp_latency_issue_stalled_wait.ratio
smsp__average_warp_latency_issue_stalled_math_pipe_throttle.ratio
smsp__average_warp_latency_issue_stalled_lg_throttle.ratio
smsp__average_warp_latency_issue_stalled_mio_throttle.ratio
smsp__average_warp_latency_issue_stalled_no_instruction.ratio
smsp__average_warp_latency_issue_stalled_branch_resolve.ratio
smsp__average_warp_latency_issue_stalled_dispatch_stall.ratio
smsp__average_warp_latency_issue_stalled_drain.ratio
smsp__average_warp_latency_issue_stalled_imc_miss.ratio
smsp__average_warp_latency_issue_stalled_membar.ratio
smsp__average_warp_latency_issue_stalled_not_selected.ratio
smsp__average_warp_latency_issue_stalled_selected.ratio
smsp__average_warp_latency_issue_stalled_sleeping.ratio
smsp__average_warp_latency_issue_stalled_tex_throttle.ratio
""".split()

FIRST = "gpc__cycles_elapsed.max"
PLACES = ("Kernel Name", "Grid Size", "Block Size")


@dataclass
class Launch:
    name: str
    grid: str
    block: str
    values: list  # (metric, value, unit)


def known(ncu):
    """Returns those of METRICS that this ncu can collect on this card, or [] if it may read no counter."""
    done = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False, timeout=120)
    bases = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    if done.returncode != 0 or not bases:
        return []
    return [name for name in METRICS if name.split(".")[0] in bases or name.startswith("launch__")]


def shape(text):
    """'(256, 1, 1)' as '256x1x1'."""
    return "x".join(text.strip("() ").replace(" ", "").split(","))


def read(log, wanted):
    """Returns the launches of ncu's raw CSV, with the wanted metrics.

    Lines of ncu itself begin with '=='. The second row holds the units.
    """
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    if len(rows) < 2:
        return
    names, units = rows[0], rows[1]
    column = {name: index for index, name in enumerate(names)}
    if not set(PLACES) <= column.keys():
        return
    for row in rows[2:]:
        values = [(name, row[index].replace(",", ""), units[index]) for name, index in column.items()
                  if name in wanted and row[index]]
        name, grid, block = (row[column[place]] for place in PLACES)
        yield Launch(name, shape(grid), shape(block), values)
