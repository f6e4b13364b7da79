// Figures of experiments, as 'sluice figure' computes them, with the paper's numbers as marks.

// Groups the columns that show the same thing: [[what, [numbers]]], ordered by first occurrence.
function columnsByWhat(shown) {
	const groups = new Map();
	shown.columns.forEach(({what = ""}, i) => groups.set(what, [...(groups.get(what) ?? []), i]));
	return [...groups];
}

const valuesOf = (list, column) => list.map((row) => row[column]);

// A value as charts draw it: a ratio near 1 as percent over the base.
const drawnValue = (shown, column, value) => (shown.columns[column].percent && isNumber(value) ? 100 * (value - 1) : value);

// A panel of bars. The baseline column is omitted, because its value is the same everywhere.
function barPanel(shown, what, numbers) {
	const drawn = numbers.filter((i) => !shown.columns[i].base && valuesOf(shown.ours, i).some(isNumber));
	const values = (list, i) => valuesOf(list, i).map((value) => drawnValue(shown, i, value));
	const series = drawn.map((i) => ({label: shown.columns[i].name, values: values(shown.ours, i), marks: values(shown.published, i)}));
	return drawn.length > 0 && element("figure", null, element("figcaption", null, what || shown.title),
		groupChart(`${what || shown.title}; the table below has the numbers`, "bars", shown.things, series, what, 420, shown.stacked));
}

// --- lines over the columns' numbers ---

const standsAt = (shown, i) => isNumber(shown.columns[i].at);
const lineName = (shown, i) => shown.columns[i].line ?? "";
const lineNames = (shown, numbers) => [...new Set(numbers.filter((i) => standsAt(shown, i)).map((i) => lineName(shown, i)))];
const numbersOver = (shown) => [...new Set(shown.columns.map(({at}) => at).filter(isNumber))].sort((one, other) => one - other);

// The points of a line of one thing, from `list`: ours or the paper's.
function pointsOf(shown, numbers, name, thing, list) {
	return numbers.filter((i) => standsAt(shown, i) && lineName(shown, i) === name && isNumber(list[thing][i]))
		.map((i) => ({x: shown.columns[i].at, y: drawnValue(shown, i, list[thing][i])})).sort((one, other) => one.x - other.x);
}

// Lines of things, each with its color, then the paper's points.
function linesOf(shown, numbers, names, things, named) {
	const label = (thing, name) => [named ? shown.things[thing] : "", name].filter(Boolean).join(", ") || "ours";
	const lines = things.flatMap((thing) => names.map((name) => ({label: label(thing, name), points: pointsOf(shown, numbers, name, thing, shown.ours)})));
	const paper = things.flatMap((thing) => names.flatMap((name) => pointsOf(shown, numbers, name, thing, shown.published)));
	return [...lines.map((line, i) => ({...line, color: seriesColor(i)})), ...(paper.length ? [{label: "paper", points: paper, marks: true}] : [])]
		.filter((line) => line.points.length);
}

// Panels of ratios and percentages have one range, so that heights can be compared.
function rangeOf(charts) {
	const values = charts.flat().flatMap((line) => line.points.map((point) => point.y));
	return {least: Math.min(0, ...values), most: Math.max(0, ...values)};
}

// A panel for the mean and one for each thing. Without a mean, things of a single line share a panel.
function linePanel(shown, what, numbers) {
	const all = [...shown.things.keys()], names = lineNames(shown, numbers);
	const moving = names.filter((name) => numbers.some((i) => standsAt(shown, i) && lineName(shown, i) === name && !shown.columns[i].base));
	const drawn = moving.length ? moving : names, things = shown.mean ? [all.at(-1), ...all.slice(0, -1)] : all;
	const single = shown.mean ? all.length === 2 : drawn.length < 2 || all.length === 1;
	const groups = single ? [shown.mean ? [all[0]] : all] : things.map((thing) => [thing]);
	const charts = groups.map((group) => linesOf(shown, numbers, drawn, group, group.length > 1));
	if (!charts.some((lines) => lines.length))
		return false;
	const relative = numbers.some((i) => shown.columns[i].base), range = relative ? rangeOf(charts) : {};
	const more = {points: true, below: true, at: numbersOver(shown), logarithmic: shown.logarithmic, ...range};
	const panel = (lines, i) => element("div", null, element("h4", null, shown.things[groups[i][0]]),
		lineChart(`${shown.things[groups[i][0]]}: ${what || shown.title} over ${shown.over}; the table below has the numbers`, 220, lines, shown.over, "",
			{...more, legend: false}));
	return element("figure", null, element("figcaption", null, what || shown.title), single
		? lineChart(`${what || shown.title} over ${shown.over}; the table below has the numbers`, 420, charts[0], shown.over, what, more)
		: [legendBox(charts[0].filter((line) => !line.marks).map((line) => [line.color, line.label])), element("div.panels", null, charts.map(panel))]);
}

// --- tables ---

const hasPublished = (shown, column) => valuesOf(shown.published, column).some(isNumber);

// Splits columns into tables that fit into the page's width; each repeats the first column.
function tablesThatFit(caption, rows, first, columns) {
	const room = Math.min(1320, $("view").clientWidth) - 60, wide = (column) => Math.max(64, 8.2 * column.title.length + 18);
	const start = Math.min(0.5 * room, Math.max(...rows.map((row) => 7.6 * String(first.of(row)).length + 18)));
	const parts = [[]];
	let used = start;
	for (const column of columns) {
		used += wide(column);
		if (used > room && parts.at(-1).length) {
			parts.push([]);
			used = start + wide(column);
		}
		parts.at(-1).push(column);
	}
	return parts.map((part, i) => table({caption: i ? "" : caption, rows, columns: [first, ...part]}));
}

function barTable(shown) {
	const value = (list, column) => ({number: true, of: (thing) => list[thing][column] ?? NaN});
	return tablesThatFit("The numbers", [...shown.things.keys()], {title: "", of: (thing) => shown.things[thing]},
		shown.columns.flatMap((column, i) => [{title: column.name, hint: column.what, ...value(shown.ours, i)},
			...(hasPublished(shown, i) ? [{title: "paper", hint: `${column.name}, in the paper`, ...value(shown.published, i)}] : [])]));
}

// A row for each number of each thing, a column for each line.
function lineTable(shown) {
	const rows = [...shown.things.keys()].flatMap((thing) => numbersOver(shown).map((at) => ({thing, at})));
	const columns = columnsByWhat(shown).flatMap(([what, numbers]) => lineNames(shown, numbers).flatMap((name) => {
		const find = ({at}) => numbers.find((i) => shown.columns[i].at === at && lineName(shown, i) === name);
		const value = (list) => (row) => list[row.thing][find(row)] ?? NaN;
		return [{title: name || what || "ours", hint: what, number: true, of: value(shown.ours)},
			...(numbers.some((i) => lineName(shown, i) === name && hasPublished(shown, i))
				? [{title: "paper", hint: `${name || what}, in the paper`, number: true, of: value(shown.published)}] : [])];
	}));
	return tablesThatFit("The numbers", rows, {title: "", of: ({thing}) => shown.things[thing]},
		[{title: shown.over, number: true, of: ({at}) => at, cell: ({at}) => String(at)}, ...columns]);
}

function experimentView(view, shown) {
	const panel = shown.over ? linePanel : barPanel, hasMarks = shown.columns.some((_, i) => hasPublished(shown, i));
	const rows = () => [["", ...shown.columns.flatMap(({name}) => [name, `${name}, paper`])],
		...shown.things.map((thing, t) => [thing, ...shown.columns.flatMap((_, i) => [shown.ours[t][i], shown.published[t][i]])])];
	replaceChildren(view, element("section.page", null,
		element("h2", null, shown.title),
		figureChoice(shown.name),
		element("p.muted", null, [shown.source, shown.size && `runs of size ${shown.size}`,
			hasMarks && (shown.over ? "open marks are the paper's numbers" : "a mark on a bar is the paper's number")].filter(Boolean).join("; "), "."),
		shown.missing > 0 && element("p.error", {role: "alert"}, `${plural(shown.missing, "value")} missing: run 'sluice figure ${shown.name}' to compute them.`),
		element("div.tools", null, element("button", {onclick: () => download(`${shown.name}.csv`, csvText(rows()))}, "CSV")),
		columnsByWhat(shown).map(([what, numbers]) => panel(shown, what, numbers)),
		(shown.over ? lineTable : barTable)(shown),
		shown.note && element("p.muted", null, shown.note)));
	return {};
}
