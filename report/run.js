// One run.

const runShown = {of: "kernels", mode: "share of slots", kernel: "all"};

const dims = (list) => (Array.isArray(list) ? list.join(" x ") : "-");

function tiles(run) {
	const names = ["cycles", "IPC", "warp instructions", "L1 hits %", "L2 hits %", "DRAM GB/s", "DRAM pins busy %", "energy J"];
	return element("div.tiles", null, names.map((name) => [name, figure(name)]).filter(([, row]) => isNumber(row.of(run)))
		.map(([name, row]) => element("div", {title: row.meaning}, element("b", null, row.text(row.of(run))), element("span", null, name))));
}

function madeBy(run) {
	const {facts: known, data} = run;
	const shownFirst = ["program", "variant", "size", "seed", "arguments", "machine", "options", "mechanisms", "verdict"];
	const dates = ["finished", "seconds", "revision"];
	const others = Object.keys(known).filter((name) => ![...shownFirst, ...dates, ...LONG_FACTS].includes(name));
	const long = (name) => known[name] && element("span", {title: known[name]},
		name === "output" ? element("pre", null, known[name]) : known[name].slice(0, 12));
	const lines = [["command line", data.command?.join(" ")], ["passes", data.passes?.join(" ")],
		...[...(data.mechanisms ?? []), ...(data.observers ?? [])].map((text, i) => [i ? "" : "all options", text])];
	return [facts([
		...shownFirst.map((name) => [name, known[name]]),
		["ended", data.ended === known.verdict ? "" : data.ended],
		...[...dates, ...others].map((name) => [name, name === "seconds" && known[name] ? numberText(Number(known[name])) : known[name]]),
		...LONG_FACTS.map((name) => [name, long(name)]),
		["file", DATA.files[data.file]],
	].filter(([, value]) => value)),
	element("dl.lines", null, lines.filter(([, text]) => text).map(([name, text]) =>
		[element("dt", null, name), element("dd", null, element("code", null, text))]))];
}

function launchGroups(run) {
	return runShown.of === "kernels" ? run.kernels : run.launches.map((_, i) => new Launches(run, [i]));
}

const groupName = (group) => (runShown.of === "kernels" || group.fact("launches") > 1 || group.isSession ? "" : `${group.fact("launch")}: `)
	+ shortKernel(group.name) + (group.uncounted ? ` (${group.uncounted})` : "");

const UNCOUNTED_HINTS = {
	"warm": "simulated in cycles only to warm the caches; not in the run's totals",
	"not simulated": "ran functionally, without cycles; not in the run's totals",
	"with others": "ran at the same time as other launches: most counters, and the cycle stack, are known only of their session",
};
const uncountedMark = (group) => element("span.uncounted", {title: UNCOUNTED_HINTS[group.uncounted]}, group.uncounted);
const isLeftOut = (group) => group.uncounted && !group.isTogether;
const kernelStack = (group) => (group.isTogether ? uncountedMark(group) : miniStack(group.stack));

function stackSection(run) {
	const groups = launchGroups(run).filter((group) => combine(Object.values(group.stack)) > 0).slice(0, MOST_STACKS);
	const mode = stackModes[runShown.mode];
	const set = (key) => (word) => {
		runShown[key] = word;
		render("stack");
	};
	const rows = groups.map((group) => ({label: groupName(group), stack: mode === "share" ? group.stack : group.stackCycles}));
	if (groups.length > 1)
		rows.unshift({label: "all", stack: mode === "share" ? run.all.stack : run.all.stackCycles});
	return [
		element("div.tools", null,
			choice("unit", Object.keys(stackModes), runShown.mode, set("mode")),
			run.launches.length > run.kernels.length && choice("of", ["kernels", "launches"], runShown.of, set("of"))),
		stackBars("cycle stacks of the run's kernels", rows, mode),
		stackTable(groups.map((group) => ({label: groupName(group), group}))),
		run.kernels.some((group) => group.isTogether) && element("p.muted", null, "Launches that ran at the same time have no stacks of their own; their sessions have."),
	];
}

const stackColumn = {title: "cycle stack", of: (group) => group.value("cycles"), cell: kernelStack};
const countColumn = {title: "launches", number: true, of: (group) => group.value("launches")};
const figureColumns = () => ["cycles", "IPC", "L1 hits %", "L2 hits %", "DRAM GB/s"].map(figure).map((row) =>
	({title: row.name, number: true, of: row.of, hint: row.meaning, cell: (group) => row.text(row.of(group))}));

function launchesTable(run, groups) {
	const streams = streamsByRow(run);
	const ends = (group) => [...new Set(group.indexes.map((i) => run.launches[i][FACT.ended]))].filter((end) => end && end !== "done").join(", ");
	return table({rows: groups, filter: (group) => group.name, columns: [
		{title: "kernel", of: (group) => group.name, cell: (group) => kernelName(group.name)},
		groups.some(isLeftOut) && {title: "simulated", of: (group) => (isLeftOut(group) ? group.uncounted : "yes"),
			cell: (group) => (isLeftOut(group) ? uncountedMark(group) : "yes"), hint: "the selection of the run: sluice run --kernel, --region, --range"},
		run.data.streams && {title: "stream", of: (group) => streamsOf(group, streams)[0], cell: (group) => streamsCell(streamsOf(group, streams))},
		stackColumn,
		countColumn,
		{title: "grid", of: (group) => dims(group.fact("grid")), hint: "of the first launch"},
		{title: "block", of: (group) => dims(group.fact("block")), hint: "of the first launch"},
		{title: "registers", number: true, of: (group) => group.fact("registers")},
		{title: "shared bytes", number: true, of: (group) => group.fact("shared_bytes")},
		{title: "blocks per SM", number: true, of: (group) => group.fact("blocks_per_sm")},
		...figureColumns(),
		run.launches.some((launch) => launch[FACT.ended] !== "done") && {title: "ended", of: ends, cell: (group) => element("span.error",
			{title: group.fact("message")}, ends(group))},
	].filter((column) => column)});
}

function sessionsTable(run, sessions) {
	const members = new Map(sessions.map((group) => [group, sessionMembers(run, group)]));
	const numbers = (group) => members.get(group).map(({launch}) => launch);
	return table({caption: "Sessions: launches that ran at the same time, counted together", rows: sessions, columns: [
		{title: "session", of: (group) => group.name},
		stackColumn,
		countColumn,
		{title: "their numbers", of: (group) => numbers(group)[0], cell: (group) => rangesCell(numbers(group), 40)},
		{title: "begins", number: true, of: (group) => firstBegin(members.get(group)), hint: "core cycle of the run"},
		...figureColumns(),
	]});
}

function kernelSection(run) {
	const groups = launchGroups(run), sessions = groups.filter((group) => group.isSession);
	return [launchesTable(run, groups.filter((group) => !group.isSession)), sessions.length > 0 && sessionsTable(run, sessions)];
}

function countersSection(run) {
	const kernels = run.kernels, subject = kernels[Number(runShown.kernel)] ?? run.all;
	const rows = run.counters.map((name) => ({name, value: subject.value(name)}));
	const cycles = subject.value("cycles");
	return [
		kernels.length > 1 && element("div.tools", null, select("of", [["all", "all kernels"], ...kernels.map((kernel, i) => [String(i), kernel.label])],
			runShown.kernel, (value) => {
				runShown.kernel = value;
				render("counters");
			})),
		table({rows, filter: (row) => `${row.name} ${DATA.meanings[row.name]?.[2] ?? ""}`, columns: [
			{title: "counter", of: (row) => row.name, cell: (row) => element("code", null, row.name)},
			{title: "value", number: true, mixed: true, of: (row) => row.value},
			{title: "unit", of: (row) => DATA.meanings[row.name]?.[0] ?? ""},
			{title: "per cycle", number: true, of: (row) => share(row.value, cycles),
				cell: (row) => (row.value ? numberText(Number(share(row.value, cycles).toPrecision(3))) : "")},
			{title: "meaning", of: (row) => DATA.meanings[row.name]?.[2] ?? "", wide: true},
		]}),
	];
}

// Vectors by load are shown as a table (lines.js).
const drawnVectors = (run) => Object.entries(run.data.vectors ?? {}).filter(([, vector]) => !isByLoad(vector) && vector.values.some((value) => value));

function vectorsSection(run) {
	return [element("div.pair", null, drawnVectors(run).map(([name, vector]) => {
		const labels = (vector.labels ?? vector.bins ?? vector.values.map((_, i) => i)).map(String);
		const last = vector.values.findLastIndex((value) => value);
		const values = vector.labels ? vector.values : vector.values.slice(0, last + 1);
		const count = combine(vector.values);
		return element("figure", null, element("figcaption", null, element("code", null, name), vector.bins
			? `  by ${vector.unit}; mean ${numberText(vector.sum / count)}` : `  ${vector.unit}`),
		groupChart(`${name}, ${plural(values.length, "bar")}`, "bars", labels.slice(0, values.length), [{label: "", values}], "", 230));
	}))];
}

function energySection(run) {
	const {energy} = run.data, all = energy.total;
	const totals = ["table", "seconds", "total", "dynamic", "constant", "watts", "delay", "instruction"];
	const parts = Object.entries(energy).filter(([name, value]) => !totals.includes(name) && isNumber(value));
	return [
		facts([
			["table", energy.table],
			["total", `${numberText(all)} J`],
			["dynamic", `${numberText(energy.dynamic)} J`],
			["constant", `${numberText(energy.constant)} J`],
			["mean power", `${numberText(energy.watts)} W`],
			["energy-delay", `${numberText(energy.delay)} J s`],
			["a thread's instruction", `${numberText(energy.instruction)} J`],
		]),
		table({rows: parts, sort: null, columns: [
			{title: "component", of: ([name]) => name},
			{title: "joules", number: true, of: ([, value]) => value},
			{title: "share", number: true, of: ([, value]) => value / all, cell: ([, value]) => percentText(value / all),
				style: ([, value]) => heatStyle(value, all)},
		]}),
	];
}

function configurationSection(run) {
	const rows = Object.entries(run.configuration).map(([name, value]) => ({name, value: String(value)}));
	return [table({rows, filter: (row) => `${row.name} ${DATA.keys[row.name]?.[1] ?? ""}`, columns: [
		{title: "key", of: (row) => row.name, cell: (row) => element("code", null, row.name)},
		{title: "value", of: (row) => row.value},
		{title: "unit", of: (row) => DATA.keys[row.name]?.[0] ?? ""},
		{title: "meaning", of: (row) => DATA.keys[row.name]?.[1] ?? "", wide: true},
	]})];
}

// [id, title, condition on the run, content]
const SECTIONS = [
	["kernels", "Kernels", (run) => run.launches.length, kernelSection],
	["streams", "Streams", (run) => run.data.streams, streamsSection],
	["limits", "Limits", (run) => run.data.limits?.length, limitsSection],
	["stack", "Cycle stacks", (run) => combine(Object.values(run.all.stack)) > 0, stackSection],
	["lines", "Lines", (run) => run.data.profile?.length, profileSection],
	["over-time", "Over time", (run) => run.data.samples?.values.length, samplesSection],
	["timeline", "Timeline", (run) => run.data.timeline, timelineSection],
	["loads", "Loads", (run) => run.data.loads || byLoad(run).length, loadsSection],
	["counters", "Counters", (run) => run.counters.length, countersSection],
	["vectors", "By index", (run) => drawnVectors(run).length, vectorsSection],
	["energy", "Energy", (run) => run.data.energy, energySection],
	["configuration", "Machine", (run) => Object.keys(run.configuration).length, configurationSection],
];

function runView(view, number) {
	const run = RUNS[Number(number)];
	if (!run) {
		replaceChildren(view, element("section.page", null, element("p", null, "This run does not exist. ", element("a", {href: "#runs"}, "All runs"))));
		return {};
	}
	const sections = SECTIONS.filter(([, , has]) => has(run));
	replaceChildren(view, element("section.page", null,
		element("div.title", null, element("h2", null, run.title),
			element("button.mark.a", {"aria-pressed": String(shown.a === run), onclick: () => setMark("a", run)}, "compare as A"),
			element("button.mark.b", {"aria-pressed": String(shown.b === run), onclick: () => setMark("b", run)}, "compare as B")),
		element("nav.sections", {"aria-label": "Sections"}, sections.map(([id, title]) => element("button", {onclick: () => $(id).scrollIntoView()}, title))),
		tiles(run), madeBy(run),
		!run.launches.length && element("p", null, run.data.profile ? "This run has a profile but no statistics."
			: "This run has no statistics: it launched no kernel, or failed."),
		sections.map(([id, title, , content]) => element("section", {id}, element("h3", null, title), content(run)))));
	return {onKey: (key) => key === "d" && (markByKey(run), true)};
}
