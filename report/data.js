// The runs of the page, from the data that src/cli/report/ has written (described in report.h).

const DATA = JSON.parse($("data").textContent);

// Levels of the cycle stack in drawing order; their colors are in style.css.
const LEVELS = {
	issued: "issued",
	arithmetic: "waits: arithmetic",
	shared: "waits: shared memory",
	l1: "waits: L1",
	texture: "waits: texture",
	l2: "waits: L2",
	dram: "waits: DRAM",
	barrier: "waits: barrier",
	held: "held by mechanism",
	replayed: "replayed: mechanism",
	conflict: "pipe full",
	no_instruction: "no instruction",
	idle: "idle",
};
const levelName = (level) => LEVELS[level] ?? level;
const levelStyle = (level) => `var(--level-${level in LEVELS ? level : "other"})`;

// Derived figures; `digits`: fixed number of decimals.
const FIGURES = {
	"cycles": {formula: "cycles", unit: "cycles"},
	"IPC": {digits: 2, formula: "thread_instructions / cycles", unit: "thread instructions per cycle"},
	"L1 hits %": {digits: 1, formula: "100 * l1d.hits / l1d.accesses", unit: "%"},
	"L2 hits %": {digits: 1, formula: "100 * l2.hits / l2.accesses", unit: "%"},
	"DRAM GB/s": {digits: 2, formula: "(dram.reads + dram.writes) * dram.atom_bytes * clock.core / cycles / 1000", unit: "GB/s"},
	"DRAM pins busy %": {digits: 1, formula: "100 * dram.data_cycles / dram.cycles", unit: "%"},
	"row hits %": {digits: 1, formula: "100 * dram.row_hits / dram.requests", unit: "%"},
	"requests per row": {digits: 1, formula: "dram.requests / dram.activates", unit: "requests"},
	"thread instructions": {formula: "thread_instructions", unit: "instructions"},
	"warp instructions": {formula: "warp_instructions", unit: "instructions"},
	"launches": {formula: "launches", unit: "launches"},
	"host seconds": {formula: "host_seconds", unit: "seconds"},
	"energy J": {formula: "energy.total", unit: "J"},
};

const FACT = {kernel: 0, launches: 1, launch: 2, ended: 3, message: 4, grid: 5, block: 6, registers: 7, spill_bytes: 8,
	shared_bytes: 9, blocks_per_sm: 10, cycles: 11, thread_instructions: 12, warp_instructions: 13, host_seconds: 14,
	role: 15}; // only of launches in a selection, launches that ran with others, and sessions
const ADDED = ["cycles", "thread_instructions", "warp_instructions", "host_seconds", "launches"];

const positions = DATA.shapes.map((shape) => new Map(shape.map((number, at) => [DATA.counters[number], at])));
const isLargest = (counter) => DATA.meanings[counter]?.[3] === "largest";
const combine = (list, largest) => (largest ? Math.max(...list) : list.reduce((sum, value) => sum + value, 0));

// A kernel's name without its return type, parameters and template arguments.
const kernelWord = (kernel) => kernel.replace(/^void /, "").split(/[(<]/)[0] || kernel;

// The name with template arguments, which may be the only difference between kernels, cut to fit into a table.
const shortKernel = (kernel, most = 36) => shortened(kernel.replace(/^void /, "").replace(/\(.*$/s, "") || kernel, most);

const kernelName = (kernel) => element("code.name", {title: kernel}, shortKernel(kernel));

// Launches that are not in the totals: by a selection (sluice run --kernel, --region, --range), or because the session
// in which they ran with others is.
const UNCOUNTED = {warm: "warm", no: "not simulated", together: "with others"};
const uncounted = (launch) => UNCOUNTED[launch[FACT.role]];

// A set of launches of a run: all, those of one kernel, or a single one. A session counts as a launch.
class Launches {
	constructor(run, indexes) {
		this.run = run;
		this.indexes = indexes;
		this.known = new Map();
	}

	get name() {
		return DATA.kernels[this.fact("kernel")][1];
	}

	// The fact of the first launch.
	fact(name) {
		return this.run.data.launches[this.indexes[0]][FACT[name]];
	}

	// "warm", "not simulated" or "with others"; undefined for launches that are in the totals.
	get uncounted() {
		return this.indexes.length ? uncounted(this.run.launches[this.indexes[0]]) : undefined;
	}

	get isTogether() {
		return this.uncounted === UNCOUNTED.together;
	}

	get isSession() {
		return this.fact("role") === "session";
	}

	// The name with what tells it from launches of the same kernel.
	get label() {
		return this.name + (this.uncounted ? ` (${this.uncounted})` : "");
	}

	value(name) {
		let value = this.known.get(name);
		if (value === undefined)
			this.known.set(name, value = this.find(name));
		return value;
	}

	find(name) {
		const {data} = this.run;
		if (!this.indexes.length)
			return this.run.setting(name);
		const at = positions[data.shape]?.get(name);
		if (at !== undefined)
			return combine(this.indexes.map((i) => data.counters[i][at] ?? NaN), isLargest(name));
		if (ADDED.includes(name))
			return combine(this.indexes.map((i) => data.launches[i][FACT[name]] ?? NaN));
		if (name.startsWith("energy."))
			return this === this.run.all ? data.energy?.[name.slice(7)] ?? NaN : NaN;
		return this.run.setting(name);
	}

	// Slots by level: {issued: 12, ...}.
	get stack() {
		const {causes, stacks} = this.run.data;
		return Object.fromEntries((causes ?? []).map((cause, at) =>
			[DATA.causes[cause], combine(this.indexes.map((i) => stacks[i][at] ?? 0))]));
	}

	// Cycles by level. Each cycle has one slot per scheduler, so slots are scaled to add up to the cycles.
	get stackCycles() {
		const stack = this.stack, cycles = this.value("cycles");
		const slots = combine(Object.values(stack));
		return slots && isNumber(cycles)
			? Object.fromEntries(Object.entries(stack).map(([level, value]) => [level, value * cycles / slots])) : {};
	}
}

// Turns "caps:depth=4,retry=false" into [["caps.depth", "4"], ...].
function mechanismOptions(text) {
	const colon = text.indexOf(":"), name = colon < 0 ? text : text.slice(0, colon);
	const options = colon < 0 ? [] : text.slice(colon + 1).split(",").map((option) => option.split("="));
	return [[name, "on"], ...options.map(([key, value]) => [`${name}.${key}`, value ?? ""])];
}

// The files in the page that a kernel's instructions name, in the order of their first use.
const sourcesOf = (kernel, sources) => Object.fromEntries([...new Set((kernel.instructions ?? []).map((row) => row.file))]
	.filter((file) => sources[file]).map((file) => [file, sources[file]]));

class Run {
	constructor(data, number) {
		this.data = data;
		this.number = number;
		this.facts = Object.fromEntries(Object.entries(data.facts).map(([name, text]) => [name, DATA.texts[text]]));
		this.label = data.kept ? "" : data.label; // the file name of a run with its own file
		this.launches = data.launches ?? [];
		this.all = new Launches(this, [...this.launches.keys()].filter((i) => !uncounted(this.launches[i])));
		this.mechanisms = Object.fromEntries((data.mechanisms ?? []).flatMap(mechanismOptions));
		this.mechanismNames = (this.facts.mechanisms ?? "").split(" ").filter((name) => name)
			.map((name) => name.split(":")[0].split("/").pop());
		const first = DATA.configurations[0] ?? {};
		for (const kernel of data.profile ?? [])
			kernel.source ??= sourcesOf(kernel, data.sources ?? {});
		this.configuration = data.configuration === undefined ? {} : {...first, ...DATA.configurations[data.configuration]};
	}

	get title() {
		const short = (names, between) => names.map((name) => (this.facts[name] ? this.short(name) : "")).filter((text) => text).join(between);
		const where = short(["machine", "mechanisms", "options"], " + ");
		const name = this.label || short(["program", "variant", "size"], " ") || this.data.label;
		return where ? `${name} on ${where}` : name;
	}

	value(name) {
		return this.all.value(name);
	}

	// The value of a machine key or mechanism option, as a number if it is one.
	setting(name) {
		const value = this.configuration[name] ?? this.mechanisms[name] ?? this.facts[name];
		if (value === undefined || value === null || value === "")
			return NaN;
		return typeof value === "boolean" ? Number(value) : Number(value);
	}

	// The table text of a fact, key or option.
	text(name) {
		const value = this.facts[name] ?? this.configuration[name] ?? this.mechanisms[name];
		return value === undefined || value === null ? "" : String(value);
	}

	// A short form of the text that still differs from those of other runs.
	short(name) {
		const text = this.text(name);
		return shortTexts[name]?.get(text) ?? text;
	}

	get kernels() {
		const groups = new Map();
		this.launches.forEach((launch, i) => {
			const kernel = `${launch[FACT.kernel]} ${launch[FACT.role] ?? ""}`;
			if (!groups.has(kernel))
				groups.set(kernel, []);
			groups.get(kernel).push(i);
		});
		return [...groups.values()].map((indexes) => new Launches(this, indexes));
	}

	// The kernels in the totals.
	get counted() {
		return this.kernels.filter((kernel) => !kernel.uncounted);
	}

	get counters() {
		return (DATA.shapes[this.data.shape] ?? []).map((number) => DATA.counters[number]);
	}

	get levels() {
		return (this.data.causes ?? []).map((cause) => DATA.causes[cause]);
	}
}

const RUNS = DATA.runs.map((data, number) => new Run(data, number));

// Files with equal names in different folders are distinguished by their paths.
const labels = RUNS.map((run) => run.label);
for (const run of RUNS)
	if (run.label && labels.indexOf(run.data.label) !== labels.lastIndexOf(run.data.label))
		run.label = DATA.files[run.data.file];

// The distinct values of a text or number over all runs, in order.
function distinct(of) {
	return [...new Set(RUNS.map(of))].sort(compare);
}

const FACT_NAMES = [...new Set(RUNS.flatMap((run) => Object.keys(run.facts)))];
const LONG_FACTS = ["library", "binary", "description", "output"];

// Machine keys and mechanism options that differ between runs.
const varyingKeys = (() => {
	const keys = new Set(DATA.configurations.slice(1).flatMap((configuration) => Object.keys(configuration)));
	keys.delete("name");
	const options = new Set(RUNS.flatMap((run) => Object.keys(run.mechanisms)));
	for (const option of options)
		if (distinct((run) => run.mechanisms[option] ?? "").length > 1)
			keys.add(option);
	return [...keys].sort(compare);
})();

// --- short names: a path's last part, and the options that differ between runs ---

const lastPart = (path) => (/^(\.{0,2}\/|[A-Za-z]:)/.test(path) ? path.split("/").pop() || path : path);

function shortMechanism(word) {
	const colon = word.indexOf(":"), name = colon < 0 ? word : word.slice(0, colon);
	const short = lastPart(name).replace(/\.so$/, ""), varies = (option) => [name, short].some((of) => varyingKeys.includes(`${of}.${option.split("=")[0]}`));
	const options = colon < 0 ? [] : word.slice(colon + 1).split(",").filter(varies);
	return short + (options.length ? `:${options.join(",")}` : "");
}

const SHORT = {
	program: lastPart,
	machine: (text) => lastPart(text).replace(/\.(yaml|config)$/, ""),
	mechanisms: (text) => text.split(" ").map(shortMechanism).join(" "),
	options: (text) => text.split(" ").filter((option) => varyingKeys.includes(option.split("=")[0])).join(" "),
};

// The short form of each text of these facts. A text keeps its full form if its short form is not unique.
const shortTexts = Object.fromEntries(Object.entries(SHORT).map(([name, shorten]) => {
	const texts = distinct((run) => run.text(name)), short = texts.map(shorten);
	return [name, new Map(texts.map((text, i) => [text, short.indexOf(short[i]) === short.lastIndexOf(short[i]) ? short[i] : text]))];
}));

const knownNames = new Set([...DATA.counters, ...ADDED, ...Object.keys(DATA.keys), ...varyingKeys, ...FACT_NAMES,
	...Object.keys(DATA.configurations[0] ?? {}),
	...new Set(RUNS.flatMap((run) => Object.keys(run.data.energy ?? {}).map((name) => `energy.${name}`)))]);

// Returns a figure by its name, or a formula: {name, unit, meaning, of(subject), text(value)}. Throws for any other
// text.
function figure(name) {
	const row = FIGURES[name];
	const of = parseFormula(row?.formula ?? name, (word) => row || knownNames.has(word));
	return {name, of, digits: row?.digits, unit: row?.unit ?? DATA.meanings[name]?.[0] ?? "",
		text: (value) => (row?.digits === undefined ? numberText(value) : fixedText(value, row.digits)),
		meaning: row?.formula ?? DATA.meanings[name]?.[2] ?? DATA.keys[name]?.[1] ?? ""};
}

// Figures that at least one run has.
const figureNames = Object.keys(FIGURES).filter((name) => {
	const {of} = figure(name);
	return RUNS.some((run) => isNumber(of(run)));
});
