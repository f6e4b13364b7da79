// User-defined figures: a metric over two keys, as bars or lines.

const MEANS = {
	"mean": (list) => combine(list) / list.length,
	"geometric mean": (list) => Math.exp(combine(list.map(Math.log)) / list.length),
	"least": (list) => Math.min(...list),
	"most": (list) => Math.max(...list),
	"last": (list) => list.at(-1),
};

const figureShown = {metric: null, rows: null, series: null, of: "geometric mean", type: "bars", relative: "", mean: true};

// Keys that can distinguish runs: facts and settings with more than one value, and few enough to draw.
const figureKeys = () => {
	const names = ["program", "variant", "size", "machine", "mechanisms", "options", "seed", "arguments", "verdict", ...varyingKeys];
	const found = names.filter((name) => {
		const count = distinct((run) => run.text(name)).length;
		return count > 1 && count <= 200;
	});
	return RUNS.length <= 200 ? [...found, "run"] : found;
};

// The baseline without mechanisms comes first.
const NONE = "none";
const inOrder = (names) => [...new Set(names)].sort((one, other) => (other === NONE) - (one === NONE) || compare(one, other));

function keyText(run, key) {
	if (key === "run")
		return run.label || `${run.number}: ${run.data.label}`;
	return key === "" ? "" : run.short(key) || (key === "mechanisms" ? NONE : "-");
}

// All properties of a run except the one shown side by side. Runs with the same signature can be compared with each
// other. `rough` also ignores variant and arguments, for use when no exact match exists.
function signature(run, series, rough) {
	const mechanisms = Object.entries(run.mechanisms).filter(([name]) => varyingKeys.includes(name)).map((pair) => pair.join("="));
	const given = [...(run.data.options ?? []), ...(series === "mechanisms" ? [] : mechanisms)].filter((text) => text.split("=")[0] !== series);
	const names = ["program", "size", "seed", "machine", ...(rough ? [] : ["variant", "arguments"])].filter((name) => name !== series);
	return [...names.map((name) => run.text(name)), series === "mechanisms" ? "" : run.mechanismNames.join(" "), ...given].join("\n");
}

// Returns a function of a run: its value relative to the mean of its baseline runs; NaN when there are none.
function relativeTo(runs, of, base) {
	const signatures = (rough) => {
		const values = new Map();
		for (const run of runs.filter((each) => keyText(each, figureShown.series) === base && isNumber(of(each)))) {
			const key = signature(run, figureShown.series, rough);
			values.set(key, [...(values.get(key) ?? []), of(run)]);
		}
		return values;
	};
	const exact = signatures(false), rough = signatures(true);
	return (run) => {
		const found = exact.get(signature(run, figureShown.series, false)) ?? rough.get(signature(run, figureShown.series, true));
		return found ? of(run) / MEANS.mean(found) : NaN;
	};
}

// {groups, series: [{label, values}], names, base, most: the largest number of runs per value}
function figureData(runs, of) {
	const groups = inOrder(runs.map((run) => keyText(run, figureShown.rows))), names = inOrder(runs.map((run) => keyText(run, figureShown.series)));
	const base = figureShown.relative !== "" && names.includes(figureShown.relative) ? figureShown.relative : null, cells = new Map();
	const value = base === null ? of : relativeTo(runs, of, base);
	for (const run of runs) {
		const key = `${keyText(run, figureShown.rows)}\n${keyText(run, figureShown.series)}`;
		if (isNumber(value(run)))
			cells.set(key, [...(cells.get(key) ?? []), value(run)]);
	}
	const mean = (list) => (list ? MEANS[figureShown.of](list) : NaN);
	const series = names.map((name) => ({label: name, values: groups.map((group) => mean(cells.get(`${group}\n${name}`)))}));
	return {groups, series, names, base, most: Math.max(0, ...[...cells.values()].map((list) => list.length))};
}

// The chart's series: those that have a value, with ratios near 1 as percent over the base, as in experiments' figures.
function drawnFigure(data, title) {
	const series = data.series.filter((one) => one.values.some(isNumber)), all = series.flatMap((one) => one.values).filter(isNumber);
	if (data.base === null || !all.every((value) => value >= 0.5 && value <= 2))
		return {series, title};
	return {title: `${title}, % more`, series: series.filter((one) => one.label !== data.base)
		.map((one) => ({...one, values: one.values.map((value) => 100 * (value - 1))}))};
}

function withMean(data) {
	if (!figureShown.mean || data.groups.length < 2)
		return data;
	const mean = MEANS[data.base === null ? "mean" : "geometric mean"];
	return {...data, groups: [...data.groups, "mean"], series: data.series.map((one) => {
		const known = one.values.filter(isNumber);
		return {...one, values: [...one.values, known.length ? mean(known) : NaN]};
	})};
}

// Chooses one of the experiments' figures, or the user-defined one.
const figureChoice = (name) => DATA.figures.length + DATA.scorecard.length > 0 && element("div.tools", null,
	select("figure", [...DATA.figures.map((each) => [each.name, `${each.name}: ${each.title}`]),
		...(DATA.scorecard.length ? [["scorecard", "all published numbers"]] : []), ["own", "your own figure"]], name, (value) => go(`#figures/${value}`)));

function figuresView(view, name = DATA.figures[0]?.name ?? (DATA.scorecard.length ? "scorecard" : "own")) {
	if (name === "scorecard" && DATA.scorecard.length)
		return scorecardView(view);
	const known = DATA.figures.find((each) => each.name === decodeURIComponent(name));
	return known ? experimentView(view, known) : ownView(view);
}

function ownView(view) {
	const keys = figureKeys(), runs = chosenRuns().rows;
	figureShown.metric ??= figureNames.includes("IPC") ? "IPC" : "cycles";
	figureShown.rows = keys.includes(figureShown.rows) ? figureShown.rows : keys[0] ?? "run";
	figureShown.series = figureShown.series === "" || keys.includes(figureShown.series) ? figureShown.series
		: keys.find((key) => key !== figureShown.rows && ["machine", "mechanisms"].includes(key)) ?? "";
	const set = (key) => (value) => {
		figureShown[key] = value;
		render();
	};
	const metric = element("input", {list: "metrics", value: figureShown.metric, "aria-label": "metric", onfocus: (event) => event.target.select(),
		onchange: () => set("metric")(metric.value.trim())});
	let row, wrong = "";
	try {
		row = figure(figureShown.metric);
	} catch (error) {
		wrong = error.message;
	}
	const raw = row ? figureData(runs, row.of) : {groups: [], series: [], names: [], most: 0}, data = withMean(raw);
	const title = row && (raw.base !== null ? `${row.name}, relative to ${raw.base}`
		: row.unit && row.unit !== row.name ? `${row.name} (${row.unit})` : row.name);
	const drawn = drawnFigure(data, title);
	const columns = [
		{title: figureShown.rows, of: (i) => data.groups[i]},
		...data.series.map((one) => ({title: one.label || row?.name, number: true, of: (i) => one.values[i]})),
	];
	replaceChildren(view, element("section.page", null,
		element("h2", null, "A figure"),
		figureChoice("own"),
		element("p.muted", null, `Uses the ${plural(runs.length, "run")} shown in the table of runs. `,
			"A metric is a counter, a statistic, or a formula: 100 * l1d.misses / l1d.accesses."),
		element("div.tools", null,
			element("label.field", null, element("span", null, "metric"), metric,
				element("datalist", {id: "metrics"}, [...figureNames, ...DATA.counters].map((value) => element("option", {value})))),
			select("over", keys.map((key) => [key]), figureShown.rows, set("rows")),
			select("side by side", [["", "nothing"], ...keys.map((key) => [key])], figureShown.series, set("series")),
			select("relative to", [["", "nothing"], ...raw.names.filter((name) => name !== "").map((name) => [name])], raw.base ?? "", set("relative")),
			choice("as", ["bars", "lines"], figureShown.type, set("type")),
			raw.most > 1 && select("combine runs by", Object.keys(MEANS).map((name) => [name]), figureShown.of, set("of")),
			element("button", {onclick: () => download("figure.csv", csvText([columns.map((one) => one.title), ...data.groups.map((_, i) =>
				columns.map((one) => one.of(i) ?? ""))]))}, "CSV")),
		raw.most > 1 && element("p.muted", null, `Each value combines up to ${raw.most} runs${raw.base === null ? ""
			: `. Each run is relative to the run that differs from it only in ${figureShown.series}; if there is none, variant and arguments may differ too`}.`),
		wrong && element("p.error", {role: "alert"}, `${figureShown.metric}: ${wrong}`),
		row && data.groups.length > 0 && [
			element("figure", {id: "figure"}, element("figcaption", null, drawn.title),
				groupChart(`${drawn.title} by ${figureShown.rows}; the table below has the numbers`, figureShown.type, data.groups, drawn.series, drawn.title)),
			table({rows: [...data.groups.keys()], columns, caption: title})],
		row && data.groups.length === 0 && element("p", null, "No run is shown.")));
	return {};
}
