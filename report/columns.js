// Columns of the table of runs: their contents, the initial selection, and the dialog that selects others.

function measured(column, rows) {
	const title = column.title.length * 8.6 + 26;
	let longest = 0;
	for (let i = 0; i < rows.length; i += Math.max(1, Math.floor(rows.length / 150))) {
		const text = column.number ? column.cell(rows[i]) : String(column.of(rows[i]) ?? "");
		longest = Math.max(longest, text.length);
	}
	column.width ??= Math.round(Math.min(column.number ? 150 : 240, Math.max(56, title, longest * 7.3 + 20)));
	return column;
}

function mark(letter, run) {
	const key = letter.toLowerCase(), on = shown[key] === run;
	return element(`button.mark.${key}`, {"aria-pressed": String(on), title: `compare: run ${letter}`, tabindex: "-1",
		"aria-label": `compare: run ${letter}`, onclick: () => setMark(key, run)}, letter);
}

const markColumn = {
	title: "", plain: true, width: 84, hint: "check: show the cycle stack side by side with others; A, B: the runs to compare",
	cell: (run) => [
		element("input", {type: "checkbox", checked: shown.selected.has(run), tabindex: "-1", "aria-label": "side by side",
			onchange: () => toggleSelected(run)}),
		mark("A", run), mark("B", run)],
};

// A stack as a bar of one line.
function miniStack(stack) {
	const sum = combine(Object.values(stack));
	return sum === 0 ? "-" : element("span.mini", {title: Object.entries(stack).filter(([, slots]) => slots)
		.map(([level, slots]) => `${levelName(level)} ${percentText(slots / sum)}`).join("\n")},
	Object.keys(LEVELS).concat(Object.keys(stack).filter((level) => !(level in LEVELS)))
		.filter((level) => stack[level] / sum > 0.004)
		.map((level) => element("i", {style: `width: ${100 * stack[level] / sum}%; background: ${levelStyle(level)}`})));
}

function column(name) {
	if (name === "cycle stack")
		return {name, title: name, width: 170, hint: "shares of the schedulers' slots", of: (run) => {
			const stack = run.all.stack;
			return (stack.issued ?? NaN) / combine(Object.values(stack));
		}, cell: (run) => miniStack(run.all.stack)};
	if (name === "run")
		return {name, title: name, of: (run) => run.label, cell: (run) => link(run, run.label || run.data.label)};
	if (name === "program")
		return {name, title: name, of: (run) => run.short("program"), cell: (run) => link(run, run.short("program") || run.data.label)};
	if (FACT_NAMES.includes(name) && !(name in FIGURES))
		return {name, title: name, of: (run) => run.short(name), cell: (run) => element("span", {title: run.text(name)}, run.short(name))};
	if (varyingKeys.includes(name) || name in DATA.keys)
		return {name, title: name, hint: DATA.keys[name]?.[1], of: (run) => {
			const number = run.setting(name);
			return Number.isNaN(number) ? run.text(name) : number;
		}, cell: (run) => run.text(name)};
	const own = figure(name), text = own.digits === undefined ? columnText(RUNS.map(own.of)) : own.text;
	return {name, title: name, number: true, of: own.of, hint: own.meaning, cell: (run) => text(own.of(run))};
}

const link = (run, text) => element("a", {href: `#run/${run.number}`, tabindex: "-1", title: run.title}, text);

// The facts that distinguish runs, and the most used figures.
function usualColumns() {
	const names = ["run", "program", "variant", "size", "machine", "mechanisms", "options", "arguments"];
	const differing = names.filter((name) => name === "run"
		? RUNS.some((run) => run.label) || !FACT_NAMES.includes("program")
		: FACT_NAMES.includes(name) && (name === "program" || distinct((run) => run.text(name)).length > 1));
	const figures = ["IPC", "L1 hits %", "L2 hits %", "DRAM GB/s"].filter((name) => figureNames.includes(name));
	const verdict = FACT_NAMES.includes("verdict") && distinct((run) => run.text("verdict")).length > 1 ? ["verdict"] : [];
	return [...differing, ...(figureNames.includes("cycles") ? ["cycles", "cycle stack"] : []), ...figures, ...verdict];
}

const allColumns = () => [...new Set(["run", ...FACT_NAMES, "cycle stack", ...figureNames, ...varyingKeys, ...DATA.counters])];

// --- the dialog ---

function columnsDialog() {
	const list = element("div.choices");
	const search = element("input", {type: "search", placeholder: "a name, or a formula: l1d.misses / cycles", "aria-label": "columns", autofocus: true,
		oninput: draw});
	const note = element("p.muted", {role: "status"});

	function toggle(name) {
		shown.columns = shown.columns.includes(name) ? shown.columns.filter((other) => other !== name) : [...shown.columns, name];
		refresh();
		draw();
	}

	function box(name) {
		const meaning = DATA.meanings[name]?.[2] ?? DATA.keys[name]?.[1] ?? FIGURES[name]?.formula ?? "";
		return element("label", null, element("input", {type: "checkbox", checked: shown.columns.includes(name), onchange: () => toggle(name)}),
			element("code", null, name), element("small", null, meaning));
	}

	function draw() {
		const text = search.value.trim(), words = text.toLowerCase();
		const names = [...new Set([...shown.columns, ...allColumns()])].filter((name) => name.toLowerCase().includes(words) ||
			(DATA.meanings[name]?.[2] ?? "").toLowerCase().includes(words));
		replaceChildren(list, names.slice(0, 200).map(box));
		note.textContent = names.length ? "" : formulaNote(text);
		if (!names.length && !note.textContent)
			list.append(element("button", {onclick: () => toggle(text)}, `add ${text}`));
	}

	draw();
	openDialog("Columns", search, note, list, element("button", {onclick: () => {
		shown.columns = usualColumns();
		refresh();
		draw();
	}}, "default columns"));
}

// The error in a formula, or "".
function formulaNote(text) {
	try {
		figure(text);
		return "";
	} catch (error) {
		return error.message;
	}
}
