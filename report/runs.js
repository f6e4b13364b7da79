// The table of runs, with its filters.

const shown = {
	text: "", error: "", facets: new Map(), sort: null, columns: null,
	selected: new Set(), // runs that stand side by side in the cycle stacks
	a: null, b: null, // runs whose difference is looked at
};

// --- columns ---

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
	return element(`button.mark.${key}`, {"aria-pressed": String(on), title: `${letter} of the difference`, tabindex: "-1",
		"aria-label": `${letter} of the difference`, onclick: () => setMark(key, run)}, letter);
}

const markColumn = {
	title: "", plain: true, width: 84, hint: "side by side in the cycle stacks; A and B of a difference",
	cell: (run) => [
		element("input", {type: "checkbox", checked: shown.selected.has(run), tabindex: "-1", "aria-label": "side by side",
			onchange: () => toggleSelected(run)}),
		mark("A", run), mark("B", run)],
};

// A stack as a bar of one line.
function miniStack(stack) {
	const sum = combine(Object.values(stack)) || 1;
	return element("span.mini", {title: Object.entries(stack).filter(([, slots]) => slots)
		.map(([level, slots]) => `${levelName(level)} ${percentText(slots / sum)}`).join("\n")},
	Object.keys(LEVELS).concat(Object.keys(stack).filter((level) => !(level in LEVELS)))
		.filter((level) => stack[level] / sum > 0.004)
		.map((level) => element("i", {style: `width: ${100 * stack[level] / sum}%; background: var(--level-${level}, var(--level-other))`})));
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
		return {name, title: name, of: (run) => run.text("program"), cell: (run) => link(run, run.text("program") || run.data.label)};
	if (FACT_NAMES.includes(name) && !(name in FIGURES))
		return {name, title: name, of: (run) => run.text(name)};
	if (varyingKeys.includes(name) || name in DATA.keys)
		return {name, title: name, hint: DATA.keys[name]?.[1], of: (run) => {
			const number = run.setting(name);
			return Number.isNaN(number) ? run.text(name) : number;
		}, cell: (run) => run.text(name)};
	const own = figure(name);
	return {name, title: name, number: true, of: own.of, hint: own.meaning, cell: (run) => own.text(own.of(run))};
}

const link = (run, text) => element("a", {href: `#run/${run.number}`, tabindex: "-1"}, text);

// The facts that tell runs apart, and what is most often looked for.
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

// --- which runs, in which order ---

function chosenRuns() {
	let test = () => true;
	shown.error = "";
	try {
		test = parseFilter(shown.text);
	} catch (error) {
		shown.error = error.message;
	}
	const named = RUNS.filter(test);
	const rows = named.filter((run) => FACETS.every((facet) => passes(facet, shown.facets.get(facet.name), run)));
	return {named, rows: sorted(rows, shown.sort)};
}

function forgetFilters() {
	shown.text = "";
	shown.facets.clear();
}

// --- what is pressed ---

function toggleSelected(run) {
	shown.selected.delete(run) || shown.selected.add(run);
	refresh();
}

function setMark(key, run) {
	shown[key] = shown[key] === run ? null : run;
	if (shown.a && shown.a === shown.b)
		shown[key === "a" ? "b" : "a"] = null;
	showChosen();
	refresh();
}

// The key d: first A, then B and the difference.
function markByKey(run) {
	if (!shown.a || shown.b) {
		shown.b = null;
		shown.a = run;
	} else if (shown.a !== run) {
		shown.b = run;
		go(`#difference/${shown.a.number}/${run.number}`);
	}
	showChosen();
	refresh();
}

// --- beside the table ---

function facetBox(facet, rows) {
	const chosen = shown.facets.get(facet.name) ?? new Set();
	const others = rows.filter((run) => FACETS.every((other) => other === facet || passes(other, shown.facets.get(other.name), run)));
	const counts = new Map();
	for (const run of others)
		for (const value of facet.of(run))
			counts.set(value, (counts.get(value) ?? 0) + 1);
	return element("fieldset", null, element("legend", null, facet.name), facet.values.map((value) => element(
		counts.get(value) || chosen.has(value) ? "label" : "label.none", null,
		element("input", {type: "checkbox", name: facet.name, value, checked: chosen.has(value), onchange: (event) => {
			event.target.checked ? chosen.add(value) : chosen.delete(value);
			shown.facets.set(facet.name, chosen);
			refresh();
		}}), element("span", {title: value}, value || "-"), element("b", null, numberText(counts.get(value) ?? 0)))));
}

function columnsDialog() {
	const list = element("div.choices");
	const search = element("input", {type: "search", placeholder: "a name, or a formula: l1d.misses / cycles", "aria-label": "columns", oninput: draw});
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
	}}, "the usual ones"));
}

// What is wrong with a formula, or "".
function formulaNote(text) {
	try {
		figure(text);
		return "";
	} catch (error) {
		return error.message;
	}
}

function saveRuns(columns, rows) {
	const named = columns.filter((one) => !one.plain);
	download("runs.csv", csvText([named.map((one) => one.title), ...rows.map((run) => named.map((one) => {
		const value = one.of(run);
		return isNumber(value) || typeof value === "string" ? value : "";
	}))]));
}

// What is the same in all runs, and so has no column.
function sameInAll() {
	const same = ["program", "variant", "size", "machine", "mechanisms", "options", "verdict"].filter((name) =>
		FACT_NAMES.includes(name) && !shown.columns.includes(name) && distinct((run) => run.text(name)).length === 1);
	return same.length && RUNS.length > 1 ? "in all runs: " + same.map((name) => `${name} ${RUNS[0].text(name)}`).join(", ") : "";
}

function runsView(view) {
	const side = element("aside", {"aria-label": "filters"}), count = element("span.count", {role: "status"});
	const same = element("p.same.muted"), note = element("span.error", {role: "alert"});
	const input = element("input", {id: "filter", type: "search", value: shown.text, placeholder: "filter:  words   program:bfs   cycles>100000   -words",
		"aria-label": "filter runs", oninput: () => {
			shown.text = input.value;
			refresh();
		}, onkeydown: (event) => {
			if (event.key === "Enter" || event.key === "ArrowDown")
				grid.frame.focus();
		}});
	const grid = new Grid({
		label: "runs",
		onOpen: (run) => go(`#run/${run.number}`),
		onSort: (sort) => {
			shown.sort = {name: sort.column.name, ...sort};
			refresh();
		},
		onKey: (key, run) => {
			if (key === " ")
				toggleSelected(run);
			else if (key === "d")
				markByKey(run);
			else
				return false;
			return true;
		},
		rowClass: (run) => [run === shown.a ? "is-a" : "", run === shown.b ? "is-b" : "", shown.selected.has(run) ? "selected" : ""].join(" "),
	});
	const known = new Map(), nothing = element("p.nothing", null, "No run meets the filters. ", element("button", {onclick: () => {
		forgetFilters();
		input.value = "";
		refresh();
	}}, "forget them"));
	let columns = [];
	shown.columns ??= usualColumns();

	function draw() {
		for (const name of shown.columns)
			if (!known.has(name))
				known.set(name, measured(column(name), RUNS));
		columns = [markColumn, ...shown.columns.map((name) => known.get(name))];
		if (shown.sort)
			shown.sort.column = known.get(shown.sort.name) ?? column(shown.sort.name);
		const {named, rows} = chosenRuns();
		grid.show(columns, rows, shown.sort);
		nothing.hidden = rows.length > 0;
		count.textContent = rows.length === RUNS.length ? plural(rows.length, "run") : `${numberText(rows.length)} of ${plural(RUNS.length, "run")}`;
		note.textContent = shown.error;
		same.textContent = sameInAll();
		const focused = document.activeElement?.closest("aside") ? [document.activeElement.name, document.activeElement.value] : null;
		const top = side.scrollTop;
		replaceChildren(side, FACETS.map((facet) => facetBox(facet, named)));
		side.scrollTop = top;
		if (focused)
			[...side.querySelectorAll("input")].find((box) => box.name === focused[0] && box.value === focused[1])?.focus();
	}

	replaceChildren(view, element("div.runs", null,
		FACETS.length > 0 && side,
		element("section", null,
			element("div.tools", null, input, count, note,
				element("span.gap"),
				element("button", {id: "columns", onclick: columnsDialog}, "Columns"),
				element("button", {onclick: () => go("#stacks"), title: "of the runs with a mark, or of all that are shown"}, "Cycle stacks side by side"),
				element("button", {onclick: () => saveRuns(columns, chosenRuns().rows)}, "CSV")),
			same, nothing,
			grid.frame)));
	draw();
	return {draw, focus: () => grid.frame.focus(), filter: input, print: (on) => grid.print(on)};
}
