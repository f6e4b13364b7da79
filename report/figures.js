// Figures of one's own: a metric over two keys, as bars or lines.

const MEANS = {
	"mean": (list) => combine(list) / list.length,
	"geometric mean": (list) => Math.exp(combine(list.map(Math.log)) / list.length),
	"least": (list) => Math.min(...list),
	"most": (list) => Math.max(...list),
	"last": (list) => list.at(-1),
};

const figureShown = {metric: null, rows: null, series: null, of: "geometric mean", type: "bars", relative: "", mean: true};

// What runs may be told apart by: facts and settings with more than one value, and few enough to draw.
const figureKeys = () => {
	const names = ["program", "variant", "size", "machine", "mechanisms", "options", "seed", "arguments", "verdict", ...varyingKeys];
	const found = names.filter((name) => {
		const count = distinct((run) => run.text(name)).length;
		return count > 1 && count <= 200;
	});
	return RUNS.length <= 200 ? [...found, "run"] : found;
};

// What is without comes first.
const NONE = "none";
const inOrder = (names) => [...new Set(names)].sort((one, other) => (other === NONE) - (one === NONE) || compare(one, other));

const keyText = (run, key) => (key === "" ? "" : key === "run" ? `${run.number}: ${run.data.label}` : run.text(key) || (key === "mechanisms" ? NONE : "-"));

// {groups, series: [{label, values}], several: whether some value is of several runs}
function figureData(runs, of) {
	const cells = new Map(), groups = inOrder(runs.map((run) => keyText(run, figureShown.rows)));
	const names = inOrder(runs.map((run) => keyText(run, figureShown.series)));
	for (const run of runs) {
		const key = `${keyText(run, figureShown.rows)}\n${keyText(run, figureShown.series)}`, value = of(run);
		if (isNumber(value))
			cells.set(key, [...(cells.get(key) ?? []), value]);
	}
	const value = (group, name) => {
		const list = cells.get(`${group}\n${name}`);
		return list ? MEANS[figureShown.of](list) : NaN;
	};
	const base = names.includes(figureShown.relative) ? figureShown.relative : null;
	const series = names.map((name) => ({label: name, values: groups.map((group) => (base === null ? value(group, name) : value(group, name) / value(group, base)))}));
	return {groups, series, names, base, several: [...cells.values()].some((list) => list.length > 1)};
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

function figuresView(view) {
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
	const raw = row ? figureData(runs, row.of) : {groups: [], series: [], names: []}, data = withMean(raw);
	const title = row && (raw.base === null ? `${row.name}${row.unit && row.unit !== row.name ? ` (${row.unit})` : ""}` : `${row.name}, relative to ${raw.base}`);
	const columns = [
		{title: figureShown.rows, of: (i) => data.groups[i]},
		...data.series.map((one) => ({title: one.label || row?.name, number: true, of: (i) => one.values[i]})),
	];
	replaceChildren(view, element("section.page", null,
		element("h2", null, "A figure"),
		element("p.muted", null, `Of the ${plural(runs.length, "run")} that the table of runs shows. `, "A metric is a counter, a figure, or a formula: 100 * l1d.misses / l1d.accesses."),
		element("div.tools", null,
			element("label.field", null, element("span", null, "metric"), metric,
				element("datalist", {id: "metrics"}, [...figureNames, ...DATA.counters].map((value) => element("option", {value})))),
			select("over", keys.map((key) => [key]), figureShown.rows, set("rows")),
			select("side by side", [["", "nothing"], ...keys.map((key) => [key])], figureShown.series, set("series")),
			select("relative to", [["", "nothing"], ...raw.names.filter((name) => name !== "").map((name) => [name])], raw.base ?? "", set("relative")),
			choice("as", ["bars", "lines"], figureShown.type, set("type")),
			raw.several && select("of several runs", Object.keys(MEANS).map((name) => [name]), figureShown.of, set("of")),
			element("button", {onclick: () => download("figure.csv", csvText([columns.map((one) => one.title), ...data.groups.map((_, i) =>
				columns.map((one) => one.of(i) ?? ""))]))}, "CSV")),
		wrong && element("p.error", {role: "alert"}, `${figureShown.metric}: ${wrong}`),
		row && data.groups.length > 0 && [
			element("figure", {id: "figure"}, element("figcaption", null, title),
				groupChart(`${title} by ${figureShown.rows}; the table below has the numbers`, figureShown.type, data.groups, data.series, title)),
			table({rows: [...data.groups.keys()], columns, caption: title})],
		row && data.groups.length === 0 && element("p", null, "No run is shown.")));
	return {};
}
