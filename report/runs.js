// The table of runs, with its filters.

const shown = {
	text: "", error: "", facets: new Map(), sort: null, columns: null,
	selected: new Set(), // runs selected for cycle stacks side by side
	a: null, b: null, // the two runs to compare
};

// --- selection and order of runs ---

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

// --- input ---

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

// The key d: chooses A, then B, and shows their difference.
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

// --- next to the table ---

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
		}}), element("span", {title: value}, shortTexts[facet.name]?.get(value) ?? (value || "-")), element("b", null, numberText(counts.get(value) ?? 0)))));
}

function saveRuns(columns, rows) {
	const named = columns.filter((one) => !one.plain);
	download("runs.csv", csvText([named.map((one) => one.title), ...rows.map((run) => named.map((one) => {
		const value = one.of(run);
		return isNumber(value) || typeof value === "string" ? value : "";
	}))]));
}

// Facts that are equal in all runs, and therefore have no column.
function sameInAll() {
	const same = ["program", "variant", "size", "machine", "mechanisms", "options", "verdict"].filter((name) =>
		FACT_NAMES.includes(name) && !shown.columns.includes(name) && distinct((run) => run.text(name)).length === 1);
	return same.length && RUNS.length > 1 ? "in all runs: " + same.map((name) => `${name} ${RUNS[0].short(name)}`).join(", ") : "";
}

// The legend of the column of cycle stacks; made once, for all runs.
let stackLevels;
function stackLegend() {
	stackLevels ??= levelsIn(RUNS.map((run) => run.all.stack));
	return stackLevels.length > 0 && legendBox(stackLevels.map((level) => [levelStyle(level), levelName(level)]));
}

function makeGrid() {
	return new Grid({
		label: "runs",
		onOpen: (run) => go(`#run/${run.number}`),
		onSort: (sort) => {
			shown.sort = {name: sort.column.name, ...sort};
			refresh();
		},
		onKey: (key, run) => {
			const does = {" ": toggleSelected, d: markByKey}[key];
			does?.(run);
			return Boolean(does);
		},
		rowClass: (run) => [run === shown.a ? "is-a" : "", run === shown.b ? "is-b" : "",
			shown.selected.has(run) ? "selected" : ""].join(" "),
	});
}

function filterField(grid) {
	const input = element("input", {
		id: "filter", type: "search", value: shown.text, "aria-label": "filter runs",
		placeholder: "filter:  words   program:bfs   cycles>100000   -words",
		oninput: () => {
			shown.text = input.value;
			refresh();
		},
		onkeydown: (event) => {
			if (event.key === "Enter" || event.key === "ArrowDown")
				grid.frame.focus();
		},
	});
	return input;
}

// Redraws the facets; keeps their scroll position and focus.
function drawFacets(side, runs) {
	const active = document.activeElement?.closest("aside") ? document.activeElement : null, top = side.scrollTop;
	replaceChildren(side, FACETS.map((facet) => facetBox(facet, runs)));
	side.scrollTop = top;
	if (active)
		[...side.querySelectorAll("input")].find((box) => box.name === active.name && box.value === active.value)?.focus();
}

// The columns shown, each created once.
const knownColumns = new Map();
function shownColumns() {
	for (const name of shown.columns)
		if (!knownColumns.has(name))
			knownColumns.set(name, measured(column(name), RUNS));
	if (shown.sort)
		shown.sort.column = knownColumns.get(shown.sort.name) ?? column(shown.sort.name);
	return [markColumn, ...shown.columns.map((name) => knownColumns.get(name))];
}

function runsView(view) {
	shown.columns ??= usualColumns();
	const grid = makeGrid(), input = filterField(grid);
	const side = element("aside", {"aria-label": "filters"}), count = element("span.count", {role: "status"});
	const same = element("p.same.muted"), note = element("span.error", {role: "alert"});
	const colors = element("div.stack-legend");
	const nothing = element("p.nothing", null, "No run meets the filters. ", element("button", {onclick: () => {
		forgetFilters();
		input.value = "";
		refresh();
	}}, "forget them"));

	function draw() {
		const columns = shownColumns(), {named, rows} = chosenRuns();
		grid.show(columns, rows, shown.sort);
		nothing.hidden = rows.length > 0;
		count.textContent = rows.length === RUNS.length ? plural(rows.length, "run")
			: `${numberText(rows.length)} of ${plural(RUNS.length, "run")}`;
		note.textContent = shown.error;
		same.textContent = sameInAll();
		replaceChildren(colors, shown.columns.includes("cycle stack") && stackLegend());
		drawFacets(side, named);
	}

	replaceChildren(view, element("div.runs", null,
		FACETS.length > 0 && side,
		element("section", null,
			element("div.tools", null, input, count, note,
				element("span.gap"),
				element("button", {id: "columns", onclick: columnsDialog}, "Columns"),
				element("button", {onclick: () => go("#stacks"), title: "of the selected runs, or of all runs shown"},
					"Cycle stacks side by side"),
				element("button", {onclick: () => saveRuns(shownColumns(), chosenRuns().rows)}, "CSV")),
			same, colors, nothing,
			grid.frame)));
	draw();
	return {draw, focus: () => grid.frame.focus(), filter: input, print: (on) => grid.print(on)};
}
