// Cycle stacks of several runs or kernels side by side.

const MOST_STACKS = 80;
const stacksShown = {mode: "share", of: "runs"};

const stackModes = {"share of slots": "share", cycles: "cycles"};

function stackRows(runs) {
	const short = labelsOf(runs);
	return runs.flatMap((run, i) => (stacksShown.of === "runs" ? [{label: short[i], group: run.all}]
		: run.counted.map((kernel) => ({label: `${shortKernel(kernel.name)}  ${short[i]}`, group: kernel}))))
		.filter((row) => combine(Object.values(row.group.stack)) > 0);
}

// Labels made of the facts that differ between the runs.
function labelsOf(runs) {
	const names = ["run", "program", "variant", "size", "machine", "mechanisms", "options", "seed", "arguments"];
	const text = (run, name) => (name === "run" ? run.label : run.short(name));
	const differing = names.filter((name) => (name === "run" ? runs.some((run) => run.label)
		: new Set(runs.map((run) => text(run, name))).size > 1));
	return runs.map((run) => (differing.length ? differing : ["program"]).map((name) =>
		text(run, name) || (name === "mechanisms" ? "no mechanism" : "")).filter((part) => part).join(" ") || run.title);
}

function stackTable(rows) {
	const levels = levelsIn(rows.map((row) => row.group.stack));
	const share = (row, level) => row.group.stack[level] / combine(Object.values(row.group.stack));
	return table({
		caption: "Shares of the schedulers' slots",
		rows,
		columns: [
			{title: "of", of: (row) => row.label, cell: (row) => element("span.name", {title: row.label}, row.label)},
			{title: "cycles", number: true, of: (row) => row.group.value("cycles")},
			...levels.map((level) => ({title: levelName(level), number: true, of: (row) => share(row, level),
				cell: (row) => percentText(share(row, level))})),
		],
	});
}

function stacksView(view) {
	const chosen = shown.selected.size ? sorted([...shown.selected], shown.sort) : chosenRuns().rows;
	const all = stackRows(chosen.slice(0, MOST_STACKS)), rows = all.slice(0, MOST_STACKS);
	const mode = stackModes[stacksShown.mode] ?? stacksShown.mode;
	const set = (key) => (word) => {
		stacksShown[key] = key === "mode" ? stackModes[word] : word;
		render();
	};
	const from = shown.selected.size ? `the ${plural(chosen.length, "run")} with a mark` : `the ${plural(chosen.length, "run")} that the table shows`;
	replaceChildren(view, element("section.page", null,
		element("h2", null, "Cycle stacks side by side"),
		element("p.muted", null, `Each cycle of each scheduler is charged to one cause. Of ${from}`,
			chosen.length > MOST_STACKS || all.length > rows.length ? `, the first ${rows.length} stacks; mark some in the table, or filter it.` : "."),
		element("div.tools", null,
			choice("unit", Object.keys(stackModes), Object.keys(stackModes).find((word) => stackModes[word] === mode), set("mode")),
			choice("of", ["runs", "kernels"], stacksShown.of, set("of"))),
		rows.length ? stackBars("cycle stacks of runs; the table below has the numbers",
			rows.map((row) => ({label: row.label, stack: mode === "share" ? row.group.stack : row.group.stackCycles})), mode)
			: element("p", null, "None of these runs has a cycle stack."),
		rows.length > 0 && stackTable(rows)));
}
