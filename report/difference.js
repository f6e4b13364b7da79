// The difference of two runs: in words, then in tables.

const differenceShown = {least: "1 %"};

// Facts, machine keys and mechanism options that differ: [{name, a, b}].
function settingChanges(a, b) {
	const rows = [];
	const add = (name, one, other) => {
		const text = (value) => (value === undefined || value === null || value === "" ? "-" : String(value));
		if (text(one) !== text(other))
			rows.push({name, a: text(one), b: text(other)});
	};
	for (const name of ["program", "variant", "size", "seed", "machine"])
		add(name, a.facts[name], b.facts[name]);
	for (const name of [...new Set([...Object.keys(a.mechanisms), ...Object.keys(b.mechanisms)])])
		if (!name.includes(".") || (a.mechanisms[name] !== undefined && b.mechanisms[name] !== undefined))
			add(name, a.mechanisms[name], b.mechanisms[name]);
	for (const name of [...new Set([...Object.keys(a.configuration), ...Object.keys(b.configuration)])])
		if (name !== "name")
			add(name, a.configuration[name], b.configuration[name]);
	if (!a.data.mechanisms && !b.data.mechanisms)
		add("mechanisms", a.facts.mechanisms, b.facts.mechanisms);
	for (const name of ["arguments", "passes", "checks", "revision", "binary", "library"])
		add(name, a.facts[name]?.slice(0, 60) ?? a.data[name]?.join(" "), b.facts[name]?.slice(0, 60) ?? b.data[name]?.join(" "));
	return rows;
}

function counterChanges(a, b) {
	return [...new Set([...a.counters, ...b.counters])].map((name) => ({name, a: a.value(name), b: b.value(name)}))
		.map((row) => ({...row, from: row.a || 0, to: row.b || 0})).filter((row) => row.from !== row.to);
}

// The change relative to the larger value; 1 if the counter exists in only one run.
const relative = (row) => Math.abs(row.to - row.from) / Math.max(Math.abs(row.from), Math.abs(row.to));

// A run's kernels in the totals, and those that ran with others, by name.
const comparedKernels = (run) => new Map(run.kernels.filter((kernel) => !kernel.uncounted || kernel.isTogether)
	.map((kernel) => [kernel.label, kernel]));

function kernelChanges(a, b) {
	const one = comparedKernels(a), other = comparedKernels(b);
	return [...new Set([...one.keys(), ...other.keys()])].map((name) => ({name, a: one.get(name), b: other.get(name)}));
}

// --- lines ---

// From profiles: waiting slots by kernel, file and line.
function profileLines(run) {
	return new Map((run.data.profile ?? []).flatMap((kernel) => sourceLines(kernel).filter((row) => waitsOf(row) || row.issues)
		.map((row) => [`${kernel.demangled ?? kernel.name}\n${row.file}\n${row.line}`,
			{kernel: kernel.demangled ?? kernel.name, line: row.line, file: row.file, text: row.text?.trim(), value: waitsOf(row)}])));
}

// From mechanisms that count by load: L1 misses.
function missLines(run) {
	return new Map(byLoad(run).filter((row) => row["l1_by_load.misses"] !== undefined).map((row) => [`${row.kernel}\n${row.pc}\n${row.line}`,
		{kernel: row.kernel, line: row.line, file: "", text: `load at pc ${row.pc}`, value: row["l1_by_load.misses"]}]));
}

function lineChanges(a, b) {
	const byProfile = a.data.profile && b.data.profile, lines = byProfile ? profileLines : missLines;
	const one = lines(a), other = lines(b);
	const rows = [...new Set([...one.keys(), ...other.keys()])].map((key) => ({...(other.get(key) ?? one.get(key)),
		a: one.get(key)?.value ?? 0, b: other.get(key)?.value ?? 0})).filter((row) => row.a !== row.b);
	return {rows, what: byProfile ? "waiting slots" : "L1 misses"};
}

function linesSection(a, b) {
	const {rows, what} = lineChanges(a, b);
	if (!rows.length)
		return [element("p.muted", null, "Both runs lack figures by line, or none differs. Lines can be compared when both runs have profiles (sluice run --profile) ",
			"or misses by load (--mech l1_by_load).")];
	const most = Math.max(...rows.map((row) => Math.abs(row.b - row.a)));
	const columns = (fewer) => [
		{title: "change", number: true, of: (row) => Math.abs(row.b - row.a), cell: (row) => signedText(row.b - row.a),
			style: (row) => `background: rgb(var(--${fewer ? "good" : "heat"}) / ${(0.08 + 0.5 * Math.abs(row.b - row.a) / most).toFixed(3)})`},
		{title: "A", number: true, of: (row) => row.a},
		{title: "B", number: true, of: (row) => row.b},
		{title: "line", number: true, of: (row) => row.line, cell: (row) => String(row.line ?? "-")},
		codeColumn("source"),
		{title: "kernel", of: (row) => row.kernel, cell: (row) => kernelName(row.kernel)},
	];
	const list = (title, fewer) => {
		const own = columns(fewer), part = rows.filter((row) => (row.b < row.a) === fewer);
		return element("div", null, element("h4", null, title), table({rows: part, columns: own, sort: {column: own[0], down: true}}));
	};
	return [element("p.muted", null, `Measured in ${what}.`),
		element("div.pair", null, list("Lines that gained: less in B", true), list("Lines that lost: more in B", false))];
}

// --- the page ---

function countersTable(a, b) {
	const leasts = {"1 %": 0.01, "10 %": 0.1, "all": 0};
	const rows = counterChanges(a, b).filter((row) => relative(row) >= leasts[differenceShown.least]);
	const columns = [
		{title: "counter", of: (row) => row.name, cell: (row) => element("code", null, row.name)},
		{title: "A", number: true, mixed: true, of: (row) => row.a},
		{title: "B", number: true, mixed: true, of: (row) => row.b},
		{title: "change", number: true, of: (row) => row.to - row.from, cell: (row) => signedText(row.to - row.from)},
		{title: "relative", number: true, of: (row) => 1000 * relative(row) + Math.log10(Math.abs(row.to - row.from)), cell: (row) => changeText(row.from, row.to),
			style: (row) => `background: rgb(var(--${row.to > row.from ? "series-up" : "series-down"}) / ${(0.05 + 0.35 * relative(row)).toFixed(3)})`},
		{title: "unit", of: (row) => DATA.meanings[row.name]?.[0] ?? ""},
		{title: "meaning", of: (row) => DATA.meanings[row.name]?.[2] ?? "", wide: true},
	];
	return [
		element("div.tools", null,
			element("span", null, "changed by at least"),
			choice("changed by at least", Object.keys(leasts), differenceShown.least, (word) => {
				differenceShown.least = word;
				render("counters");
			}),
			element("span.muted", null, "of the larger value; a counter that only one run has counts as 100 %")),
		table({rows, columns, sort: {column: columns[4], down: true}, filter: (row) => `${row.name} ${DATA.meanings[row.name]?.[2] ?? ""}`}),
	];
}

function figuresTable(a, b) {
	const rows = figureNames.map(figure).map((row) => ({...row, a: row.of(a), b: row.of(b)})).filter((row) => isNumber(row.a) || isNumber(row.b));
	return table({rows, caption: "Statistics", columns: [
		{title: "statistic", of: (row) => row.name, cell: (row) => element("span", {title: row.meaning}, row.name)},
		{title: "A", number: true, of: (row) => row.a, cell: (row) => row.text(row.a)},
		{title: "B", number: true, of: (row) => row.b, cell: (row) => row.text(row.b)},
		{title: "change", number: true, of: (row) => row.b / row.a, cell: (row) => (row.unit === "%" && isNumber(row.a) && isNumber(row.b)
			? `${signedText(Number((row.b - row.a).toFixed(1)))} points` : changeText(row.a, row.b))},
	]});
}

function levelsTable(rows, cycles) {
	return table({rows, caption: "Cycles by level of the stack", columns: [
		{title: "level", of: (row) => levelName(row.level), cell: (row) => [
			element("i.swatch", {style: `background: ${levelStyle(row.level)}`}), levelName(row.level)]},
		{title: "A", number: true, of: (row) => Math.round(row.a)},
		{title: "B", number: true, of: (row) => Math.round(row.b)},
		{title: "change", number: true, of: (row) => row.change, cell: (row) => signedText(Math.round(row.change))},
		{title: "of A's cycles", number: true, of: (row) => row.change / cycles, cell: (row) => signedText(row.change / cycles, (value) => percentText(value))},
	]});
}

const levelWords = (row) => `${levelName(row.level)} ${Math.round(row.change)}`;

function kernelsTable(a, b) {
	const cycles = (kernel) => kernel?.value("cycles");
	return table({rows: kernelChanges(a, b), caption: "Kernels", columns: [
		{title: "kernel", of: (row) => row.name, cell: (row) => kernelName((row.a ?? row.b).name)},
		{title: "cycles in A", number: true, of: (row) => cycles(row.a)},
		{title: "cycles in B", number: true, of: (row) => cycles(row.b)},
		{title: "change", number: true, of: (row) => cycles(row.b) - cycles(row.a), cell: (row) => changeText(cycles(row.a), cycles(row.b))},
		{title: "stack of A", of: () => "", cell: (row) => (row.a ? kernelStack(row.a) : "-")},
		{title: "stack of B", of: () => "", cell: (row) => (row.b ? kernelStack(row.b) : "-")},
	]});
}

function settingsTable(rows) {
	return table({rows, columns: [
		{title: "setting", of: (row) => row.name, cell: (row) => element("code", null, row.name)},
		{title: "A", of: (row) => row.a, wide: true},
		{title: "B", of: (row) => row.b, wide: true},
		{title: "unit", of: (row) => DATA.keys[row.name]?.[0] ?? ""},
		{title: "meaning", of: (row) => DATA.keys[row.name]?.[1] ?? "", wide: true},
	]});
}

// An input field that offers all runs by number and name.
function runField(letter, run, choose) {
	return element("label.field", null, element(`b.letter.${letter.toLowerCase()}`, null, letter),
		element("input", {list: "runs-offered", value: run ? `${run.number}: ${run.title}` : "", placeholder: "number or name of a run",
			"aria-label": `run ${letter}`, onfocus: (event) => event.target.select(), onchange: (event) => {
				const text = event.target.value, number = text.match(/^(\d+)(:|$)/)?.[1];
				const found = RUNS[number] ?? RUNS.find((each) => text && each.title.toLowerCase().includes(text.toLowerCase()));
				if (found)
					choose(found);
			}}));
}

function differenceView(view, first, second) {
	shown.a = RUNS[first] ?? shown.a;
	shown.b = RUNS[second] ?? shown.b;
	showChosen();
	const {a, b} = shown;
	const to = (one, other) => go(`#difference/${one?.number ?? ""}/${other?.number ?? ""}`);
	const head = element("div.pickers", null,
		runField("A", a, (run) => to(run, b)), runField("B", b, (run) => to(a, run)),
		element("button", {onclick: () => to(b, a), disabled: !a || !b}, "swap"),
		element("datalist", {id: "runs-offered"}, RUNS.map((run) => element("option", {value: `${run.number}: ${run.title}`}))));
	if (!a || !b || a === b) {
		replaceChildren(view, element("section.page", null, element("h2", null, "Difference of two runs"), head,
			element("p", null, "Choose two runs: here, with the letters A and B in the table of runs, or by pressing d on one run and then on the other.")));
		return {};
	}
	const settings = settingChanges(a, b), levels = levelChanges(a.all, b.all), cycles = a.value("cycles");
	const order = Object.keys(LEVELS), drawn = levels.filter((row) => Math.abs(row.change) > 0.001 * cycles)
		.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
	const [speed, ...rest] = differenceWords(a, b, settings);
	replaceChildren(view, element("section.page", null,
		element("h2", null, "Difference of two runs"), head,
		element("div.words", {id: "words"}, element("p.first", null, speed), rest.map((text) => element("p", null, text))),
		element("section", {id: "settings"}, element("h3", null, "Configured differently"),
			settings.length ? settingsTable(settings) : element("p.muted", null, "nothing")),
		drawn.length > 0 && isNumber(b.value("cycles")) && element("section", {id: "steps"}, element("h3", null, "From A's cycles to B's"),
			waterfall(`cycles of A, changed level by level of the cycle stack to those of B: ${levels.map(levelWords).join(", ")}`,
				cycles, b.value("cycles"), drawn.map((row) => ({label: levelName(row.level), ...row})), ["A", "B"]),
			levelsTable(levels.filter((row) => row.a || row.b), cycles)),
		element("section", null, figuresTable(a, b)),
		element("section", {id: "kernels"}, kernelsTable(a, b)),
		element("section", {id: "lines"}, element("h3", null, "Lines that gained and lost"), linesSection(a, b)),
		element("section", {id: "counters"}, element("h3", null, "Counters"), countersTable(a, b))));
	return {};
}
