// Selects the runs to show: by words, comparisons (cycles>1000), facts (program:bfs), and facets.

const haystacks = RUNS.map((run) => Object.entries(run.facts).filter(([name]) => !LONG_FACTS.includes(name))
	.map(([, value]) => value).concat(run.label, run.kernels.map((kernel) => kernel.name)).join(" ").toLowerCase());

const COMPARISONS = {
	"<": (a, b) => a < b,
	">": (a, b) => a > b,
	"<=": (a, b) => a <= b,
	">=": (a, b) => a >= b,
	"=": (a, b) => a === b,
	"!=": (a, b) => a !== b,
};

// "ipc" also finds the figure IPC.
function figureOf(name) {
	const own = Object.keys(FIGURES).find((figureName) => figureName.toLowerCase() === name.toLowerCase());
	return figure(own ?? name);
}

function comparison(name, operator, text) {
	const holds = COMPARISONS[operator], number = Number(text);
	if (text === "")
		throw new Error(`'${name}${operator}': a value is missing`);
	if (FACT_NAMES.includes(name) && Number.isNaN(number))
		return (run) => holds(run.facts[name] ?? "", text);
	if (Number.isNaN(number))
		return (run) => holds(run.text(name), text);
	const {of} = figureOf(name);
	return (run) => isNumber(of(run)) && holds(of(run), number);
}

function word(text) {
	const compared = text.match(/^([A-Za-z_][\w.]*)(<=|>=|!=|<|>|=)(.*)$/);
	if (compared)
		return comparison(compared[1], compared[2], compared[3].replace(/^"|"$/g, ""));
	const fact = text.match(/^([a-z_]+):(.+)$/);
	if (fact && FACT_NAMES.includes(fact[1])) {
		const wanted = fact[2].toLowerCase();
		return (run) => (run.facts[fact[1]] ?? "").toLowerCase().includes(wanted);
	}
	const no = text.startsWith("-") && text.length > 1, wanted = text.slice(no ? 1 : 0).replace(/^"|"$/g, "").toLowerCase();
	return (run) => haystacks[run.number].includes(wanted) !== no;
}

// Returns a function of a run. Throws an Error that describes the problem.
function parseFilter(text) {
	const words = text.replace(/\s*(<=|>=|!=|<|>|=)\s*/g, "$1").match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
	const tests = words.map(word);
	return (run) => tests.every((test) => test(run));
}

// Keys that were set by -o in some run.
const MOST_VALUES = 24;
const optionKeys = [...new Set(RUNS.flatMap((run) => (run.data.options ?? []).map((option) => option.split("=")[0])))].sort(compare);

// Facets offered next to the table: facts with few values, and the runs that have each value.
const FACETS = [
	["program", (run) => [run.facts.program ?? run.data.label]],
	["variant", (run) => [run.facts.variant ?? ""]],
	["machine", (run) => [run.facts.machine ?? ""]],
	["mechanism", (run) => (run.mechanismNames.length ? run.mechanismNames : ["none"])],
	["size", (run) => [run.facts.size ?? ""]],
	["verdict", (run) => [run.facts.verdict ?? ""]],
	...optionKeys.map((key) => [key, (run) => [run.text(key)]]),
	["file", (run) => [DATA.files[run.data.file] ?? ""]],
].map(([name, of]) => ({name, of, values: [...new Set(RUNS.flatMap(of))].sort(compare)}))
	.filter(({name, values}) => values.length > 1 && !(name === "file" && values.length === RUNS.length) &&
		!(optionKeys.includes(name) && values.length > MOST_VALUES));

const passes = (facet, chosen, run) => !chosen?.size || facet.of(run).some((value) => chosen.has(value));
