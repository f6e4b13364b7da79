// Figures of experiments, as 'sluice figure' computes them, with the paper's numbers as marks.

// Groups the columns that show the same thing: [[what, [numbers]]], ordered by first occurrence.
function columnsByWhat(shown) {
	const groups = new Map();
	shown.columns.forEach(({what = ""}, i) => groups.set(what, [...(groups.get(what) ?? []), i]));
	return [...groups];
}

const valuesOf = (list, column) => list.map((row) => row[column]);

// A panel of bars. The baseline column is omitted, because its value is the same everywhere.
function barPanel(shown, what, numbers) {
	const drawn = numbers.filter((i) => !shown.columns[i].base && valuesOf(shown.ours, i).some(isNumber));
	const series = drawn.map((i) => ({label: shown.columns[i].name, values: valuesOf(shown.ours, i), marks: valuesOf(shown.published, i)}));
	return drawn.length > 0 && element("figure", null, element("figcaption", null, what || shown.title),
		groupChart(`${what || shown.title}; the table below has the numbers`, "bars", shown.things, series, what, 420, shown.stacked));
}

// Lines over the columns' numbers: the mean if there is one, otherwise one line per thing.
function linePanel(shown, what, numbers) {
	const things = shown.mean ? [shown.things.length - 1] : [...shown.things.keys()];
	const names = [...new Set(numbers.filter((i) => isNumber(shown.columns[i].at)).map((i) => shown.columns[i].line ?? ""))];
	const lines = things.flatMap((thing) => names.map((name) => ({
		label: [shown.mean && names.length > 1 ? "" : shown.things[thing], name].filter(Boolean).join(", "),
		points: numbers.filter((i) => isNumber(shown.columns[i].at) && (shown.columns[i].line ?? "") === name && isNumber(shown.ours[thing][i]))
			.map((i) => ({x: shown.columns[i].at, y: shown.ours[thing][i]})).sort((one, other) => one.x - other.x),
	}))).filter((line) => line.points.length);
	return lines.length > 0 && element("figure", null, element("figcaption", null, what || shown.title),
		lineChart(`${what || shown.title} over ${shown.over}; the table below has the numbers`, 420, lines, shown.over, what, {points: true, below: true}));
}

const hasPublished = (shown, column) => valuesOf(shown.published, column).some(isNumber);

function experimentTable(shown) {
	const value = (list, column) => ({number: true, of: (thing) => list[thing][column] ?? NaN});
	return table({caption: "The numbers", rows: [...shown.things.keys()], columns: [
		{title: "", of: (thing) => shown.things[thing]},
		...shown.columns.flatMap((column, i) => [{title: column.name, hint: column.what, ...value(shown.ours, i)},
			...(hasPublished(shown, i) ? [{title: "paper", hint: `${column.name}, in the paper`, ...value(shown.published, i)}] : [])]),
	]});
}

function experimentView(view, shown) {
	const panel = shown.over ? linePanel : barPanel, hasMarks = !shown.over && shown.columns.some((_, i) => hasPublished(shown, i));
	const rows = () => [["", ...shown.columns.flatMap(({name}) => [name, `${name}, paper`])],
		...shown.things.map((thing, t) => [thing, ...shown.columns.flatMap((_, i) => [shown.ours[t][i], shown.published[t][i]])])];
	replaceChildren(view, element("section.page", null,
		element("h2", null, shown.title),
		figureChoice(shown.name),
		element("p.muted", null, [shown.source, `runs of size ${shown.size}`, hasMarks && "a mark on a bar is the paper's number"].filter(Boolean).join("; "), "."),
		shown.missing > 0 && element("p.error", {role: "alert"}, `${plural(shown.missing, "value")} missing: run 'sluice figure ${shown.name}' to compute them.`),
		element("div.tools", null, element("button", {onclick: () => download(`${shown.name}.csv`, csvText(rows()))}, "CSV")),
		columnsByWhat(shown).map(([what, numbers]) => panel(shown, what, numbers)),
		experimentTable(shown),
		shown.note && element("p.muted", null, shown.note)));
	return {};
}
