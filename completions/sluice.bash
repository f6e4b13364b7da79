# sluice.bash: Bash completion of the sluice command.

# Completes the machines of `sluice machine list`, or YAML files.
_sluice_machines() {
	local word=$1
	mapfile -t COMPREPLY < <(
		compgen -W "$(sluice machine list 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$word"
		compgen -f -X '!*.yaml' -- "$word"
	)
}

# Completes the keys of the command line's machine, each with its "=".
_sluice_keys() {
	local word=$1 machine=gtx480 i
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i - 1]} == -m || ${COMP_WORDS[i - 1]} == --machine ]] && machine=${COMP_WORDS[i]}
	done
	# shellcheck disable=SC2016 # awk's own variables
	mapfile -t COMPREPLY < <(compgen -W "$(sluice machine show "$machine" 2>/dev/null | awk '
		{
			level = match($0, /[^ ]/) - 1
			split(substr($0, level + 1), part, ":")
			level /= 2
			name[level] = (level ? name[level - 1] "." : "") part[1]
			if ($0 !~ /:$/)
				print name[level] "="
		}')" -- "$word")
	compopt -o nospace
}

# Completes mechanisms or shared objects.
_sluice_mechanisms() {
	mapfile -t COMPREPLY < <(
		compgen -W "$(sluice mech list 2>/dev/null | awk '{ print $1 }')" -- "$1"
		compgen -f -X '!*.so' -- "$1"
	)
}

# Completes names of the papers' programs.
_sluice_program_names() {
	mapfile -t COMPREPLY < <(compgen -W "$(sluice programs 2>/dev/null | awk '/^[^ ]/ { print $1 }')" -- "$1")
}

# Completes variants of the command line's program, or of all programs if it names none.
_sluice_variants() {
	# shellcheck disable=SC2016 # awk's own variables
	mapfile -t COMPREPLY < <(compgen -W "$(sluice programs 2>/dev/null | awk -v words=" ${COMP_WORDS[*]:3} " '
		/^[^ ]/ { name = $1 }
		/^ / {
			sub(/^ *variants /, "")
			sub(/;.*/, "")
			gsub(/,/, "")
			all = all " " $0
			if (index(words, " " name " "))
				own = own " " $0
		}
		END { print own ? own : all }')" -- "$1")
}

# Prints the index of the program on the command line of `sluice run`, or the end of the line.
_sluice_program() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			echo $((i + 1))
			return
			;;
		-m | -o | --machine | --option | --mech | --pass | --stats | --stats-format | --sample | --timeline | --timeline-events | --trace | --trace-cycles | --trace-sm | --trace-what | --trace-every | --trace-in | --ptx | --launch | --trace-out | --kernel | --warm | --profile | --check | --threads | --max-instructions | --timeout | --stray-reads | --journal)
			((i++))
			;;
		-* | =) ;;
		*)
			echo "$i"
			return
			;;
		esac
	done
	echo "$COMP_CWORD"
}

_sluice() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "help cc toolkit run programs figure sweep init results report python energy profile ptx opt analyze annotate effort mix machine mech stats --help --version" -- "$word")
		return
	fi
	case ${COMP_WORDS[1]} in
	help) options="cc toolkit run programs figure sweep init results report python energy profile ptx opt analyze annotate effort mix machine mech stats" ;;
	run)
		if (($(_sluice_program) < COMP_CWORD)); then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		fi
		options="-m -o --machine --option --mech --pass --stats --stats-format --sample --timeline --timeline-events --trace --trace-cycles --trace-sm --trace-what --trace-every --trace-in --ptx --launch --trace-out --kernel --warm --region --range --stop-after --units --profile --energy --functional --check --threads --max-instructions --timeout --stray-reads --journal --resume --no-progress --help"
		;;
	programs)
		if ((COMP_CWORD == 2)); then
			mapfile -t COMPREPLY < <(compgen -W "list show run --paper --json --help" -- "$word")
			return
		fi
		case ${COMP_WORDS[2]} in
		run)
			options="--all --size --variant --seed --paper -j -m -o --machine --option --mech --pass --stats --stats-format --sample --timeline --timeline-events --trace --trace-cycles --trace-sm --trace-what --trace-every --trace-out --kernel --warm --region --range --stop-after --units --profile"
			options+=" --energy --functional --check --threads --max-instructions --timeout --stray-reads --journal --resume --no-progress --help"
			;;
		show) options="--paper --help" ;;
		*) options="--paper --json --help" ;;
		esac
		;;
	figure)
		options="--scorecard -j --size --seed --results --out --any-build --again --no-run --memory --quiet --journal --slurm --partition --account --time"
		options+=" --constraint --sbatch --tries --per-task --detach --help"
		;;
	sweep)
		options="status cancel failed --dry-run --retry -m -o --machine --option --mech --axis --metric --name -j --size --seed --results"
		options+=" --out --any-build --again --memory --quiet --journal --slurm --partition --account --time --constraint --sbatch --tries --per-task"
		options+=" --detach --help"
		;;
	results)
		options="merge export check why --program --variant --size --seed --arguments --machine --options --mechanisms --library --revision"
		options+=" --verdict --counter --kernel --csv --json --results --help"
		;;
	report)
		options="-o --output --launches --figure --scorecard --any-build --program --variant --size --seed --arguments --machine --options --mechanisms --library --revision --verdict --help"
		;;
	energy)
		options="--table --kernels --prices --mech --program --variant --size --seed --arguments --machine --options --mechanisms --library"
		options+=" --revision --verdict --json --results --help"
		;;
	profile)
		if ((COMP_CWORD == 2)); then
			mapfile -t COMPREPLY < <(compgen -W "show diff callgrind --help" -- "$word")
			return
		fi
		options="--by --kernel --top -o --output --help"
		;;
	ptx) options="-m -o -t --machine --option --threads --registers --print --cfg --help" ;;
	opt) options="-o --output --pass --print-after --dot --mech --list --help" ;;
	machine)
		if ((COMP_CWORD == 2)); then
			mapfile -t COMPREPLY < <(compgen -W "list show diff --help" -- "$word")
			return
		fi
		options="-o --help"
		;;
	mech)
		if ((COMP_CWORD == 2)); then
			mapfile -t COMPREPLY < <(compgen -W "list show --cflags --help" -- "$word")
			return
		fi
		options="-m --machine --help"
		;;
	analyze) options="--arg --form --gap --json --kernel --launch --rows -I -D --help" ;;
	annotate) options="--html --table -I -D --help" ;;
	effort | mix) options="--help" ;;
	stats) options="--describe --counters --loads --units --csv --limits --json --help" ;;
	cc) options="-o -O2 -v --device-ptx --ptx --help" ;;
	esac
	case $before in
	-m | --machine)
		_sluice_machines "$word"
		return
		;;
	-o | --option)
		# The -o of cc, opt and report names a file, which Bash completes by default.
		[[ ${COMP_WORDS[1]} == cc || ${COMP_WORDS[1]} == opt || ${COMP_WORDS[1]} == report ]] || _sluice_keys "$word"
		return
		;;
	--mech)
		_sluice_mechanisms "$word"
		return
		;;
	--pass | --print-after)
		mapfile -t COMPREPLY < <(compgen -W "$(sluice opt --list 2>/dev/null | sed -n 's/^\([a-z][^ :]*\):.*/\1/p')" -- "$word")
		return
		;;
	--check)
		mapfile -t COMPREPLY < <(compgen -W "all bounds leaks race global-race warp-race init shared-init masks divergence footprint footprint-counts" -- "$word")
		return
		;;
	--paper)
		mapfile -t COMPREPLY < <(compgen -W "teleport prefetch-cta d2ma caps sharing" -- "$word")
		return
		;;
	--size)
		mapfile -t COMPREPLY < <(compgen -W "tiny small paper" -- "$word")
		return
		;;
	--variant)
		_sluice_variants "$word"
		return
		;;
	--stats-format)
		mapfile -t COMPREPLY < <(compgen -W "table json gpgpusim" -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	elif [[ ${COMP_WORDS[1]} == machine ]]; then
		_sluice_machines "$word"
	elif [[ ${COMP_WORDS[1]} == mech ]]; then
		_sluice_mechanisms "$word"
	elif [[ ${COMP_WORDS[1]} == programs ]]; then
		_sluice_program_names "$word"
	elif [[ ${COMP_WORDS[1]} == figure ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(sluice figure 2>/dev/null | awk '{ print $1 }')" -- "$word")
	elif [[ ${COMP_WORDS[1]} == run ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	fi
}

complete -o default -F _sluice sluice
