#!/bin/sh
# Runs a Slurm cluster on this computer, for tests and experiments: Debian's slurmctld, slurmd and munge, with several
# named nodes. The cluster uses one folder and its own ports. It writes nothing outside the folder, and neither uses nor
# changes the system's Slurm.
#
#   tools/slurm-here.sh start FOLDER [NODES [PROCESSORS]]   2 nodes of 2 processors, named n1, n2, ...
#   eval "$(tools/slurm-here.sh env FOLDER)"                sbatch, squeue and sluice sweep --slurm go there
#   tools/slurm-here.sh kill FOLDER NODE                    the node fails: its daemon and all its processes end at once
#   tools/slurm-here.sh revive FOLDER NODE                  restarts the node
#   tools/slurm-here.sh stop FOLDER
#
# If Slurm is not installed (tools/packages.txt), `start` prints what is missing and exits with status 77.
set -eu
PATH=$PATH:/usr/sbin:/sbin
usage() {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit 2
}
[ $# -ge 2 ] || usage
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
export SLURM_CONF="$folder/slurm.conf"

# free_port: prints an unused port.
free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

start_munge() {
	head -c 128 /dev/urandom >"$folder/munge.key"
	chmod 600 "$folder/munge.key"
	chmod 755 "$folder"
	munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
		--log-file="$folder/munge.log" --seed-file="$folder/munge.seed" --num-threads=2
}

write_conf() { # NODES PROCESSORS
	cat >"$SLURM_CONF" <<CONF
ClusterName=here
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdSpoolDir=$folder/spool.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=${SLURM_HERE_TIMEOUT:-5}
InactiveLimit=0
KillWait=2
MinJobAge=60
MaxArraySize=${SLURM_HERE_ARRAY:-1001}
MaxJobCount=20000
JobRequeue=1
SchedulerParameters=sched_min_interval=20000,batch_sched_delay=0,defer
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
	memory=$(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) / 1024 / $1)) # MiB
	i=1
	while [ "$i" -le "$1" ]; do
		echo "NodeName=n$i NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$2 RealMemory=$memory State=UNKNOWN"
		i=$((i + 1))
	done >>"$SLURM_CONF"
}

# Starts a program of the cluster, which continues after this script ends.
daemon() {
	setsid "$@" >>"$folder/daemons.log" 2>&1 </dev/null &
}

start_node() {
	mkdir -p "$folder/spool.$1"
	daemon slurmd -D -N "$1" -f "$SLURM_CONF"
}

nodes() {
	sed -n 's/^NodeName=\([^ ]*\) .*/\1/p' "$SLURM_CONF"
}

# Prints the process id in a pid file, if the process is running.
process_of() {
	[ -s "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null && cat "$1"
}

# Ends a process and all its descendants, in any session.
end_tree() { # SIGNAL PID
	for child in $(pgrep -P "$2"); do
		end_tree "$1" "$child"
	done
	kill "-$1" "$2" 2>/dev/null || true
}

# Ends the steps of a node, whose daemons have no parent process here.
end_steps() { # NODE
	for step in $(pgrep -f "^slurmstepd: \[" || true); do
		{ tr '\0' '\n' <"/proc/$step/environ"; } 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF" || continue
		ls -l "/proc/$step/fd" 2>/dev/null | grep -qF "$folder/slurmd.$1.log" || continue
		end_tree KILL "$step"
	done
}

await_nodes() { # COUNT
	for _ in $(seq 200); do
		[ "$(sinfo -h -N -t idle -o %n 2>/dev/null | wc -l)" -ge "$1" ] && return 0
		sleep 0.1
	done
	echo "tools/slurm-here.sh: the nodes do not start; see $folder/*.log" >&2
	return 1
}

case $action in
start)
	for program in munged slurmctld slurmd sbatch squeue python3 pgrep; do
		command -v $program >/dev/null && continue
		echo "tools/slurm-here.sh: no $program; 'tools/deps.sh test' installs what tools/packages.txt names" >&2
		exit 77
	done
	[ "$(id -u)" = 0 ] || {
		echo "tools/slurm-here.sh: slurmd must run as root" >&2
		exit 77
	}
	mkdir -p "$folder/state"
	start_munge
	write_conf "${3:-2}" "${4:-2}"
	daemon slurmctld -D -f "$SLURM_CONF"
	for node in $(nodes); do
		start_node "$node"
	done
	await_nodes "${3:-2}"
	;;
env)
	echo "export SLURM_CONF='$SLURM_CONF'"
	;;
kill)
	[ $# = 3 ] || usage
	kill -9 "$(cat "$folder/slurmd.$3.pid")"
	end_steps "$3"
	;;
revive)
	[ $# = 3 ] || usage
	start_node "$3"
	;;
stop)
	for node in $(nodes); do
		process=$(process_of "$folder/slurmd.$node.pid") && kill -9 "$process"
		end_steps "$node"
	done
	process=$(process_of "$folder/slurmctld.pid") && kill -9 "$process"
	process=$(process_of "$folder/munge.pid") && kill "$process"
	true
	;;
*)
	usage
	;;
esac
