// All published numbers of the papers next to ours, as 'sluice figure --scorecard' lists them.

const SCORE_RANGE = {least: 0.25, most: 4}, SCORE_TICKS = [0.25, 0.5, 1, 2, 4];
const VERDICTS = ["within 5", "within 10", "beyond, cause proven", "beyond, cause claimed", "beyond, no cause", "no value"];

const papersOf = (scores) => [...new Set(scores.map((score) => score.paper))];

// Ours over the published number, in ascending order; quotients outside the range are drawn at its ends.
function quotientChart(paper, scores) {
	const drawn = scores.filter((score) => isNumber(score.quotient) && ["runs", "code", "sources"].includes(score.from)).sort((one, other) => one.quotient - other.quotient);
	const inside = (quotient) => Math.min(Math.max(quotient, SCORE_RANGE.least), SCORE_RANGE.most);
	const groups = [["within 10 points", 0, (score) => !score.beyond], ["beyond, cause proven", 6, (score) => score.beyond && score.proof],
		["beyond, no proven cause", 4, (score) => score.beyond && !score.proof]];
	const datasets = groups.map(([label, color, of]) => ({
		label, backgroundColor: seriesColor(color), pointRadius: 2.5, clip: 5,
		data: drawn.map((score, rank) => ({x: rank + 1, y: inside(score.quotient), score})).filter(({score}) => of(score)),
	}));
	return drawn.length > 0 && element("figure", null, element("figcaption", null, `${paper}: ours over the published number`),
		chart(`${paper}: ours over the published number; the table below has the numbers`, 240, {type: "scatter", data: {datasets}, options: {
			scales: {x: axis("", {ticks: {display: false}}), y: axis("", {type: "logarithmic", min: SCORE_RANGE.least, max: SCORE_RANGE.most,
				ticks: {callback: String}, afterBuildTicks: (scale) => {
					scale.ticks = SCORE_TICKS.map((value) => ({value}));
				}})},
			plugins: {tooltip: {callbacks: {label: ({raw}) => [raw.score.experiment, raw.score.row, raw.score.column, `${raw.score.ours} for ${raw.score.published}`].filter(Boolean).join(", ")}}},
		}}));
}

// One row per paper and source of the numbers.
function countTable(scores) {
	const verdicts = VERDICTS.filter((verdict) => scores.some((score) => score.verdict === verdict));
	const groups = new Map();
	for (const score of scores) {
		const key = `${score.paper}\n${score.from}`;
		groups.set(key, [...(groups.get(key) ?? []), score]);
	}
	const rows = [...groups.values()];
	return table({caption: "How many", rows, columns: [
		{title: "paper", of: (list) => list[0].paper},
		{title: "from", of: (list) => list[0].from},
		{title: "numbers", number: true, of: (list) => list.length},
		...verdicts.map((verdict) => ({title: verdict, number: true, of: (list) => (list[0].from === "taken" ? NaN : list.filter((score) => score.verdict === verdict).length)})),
	]});
}

function scoreTable(scores) {
	const because = (score) => [score.cause, score.proof && `Proven by ${score.proof}.`].filter(Boolean).join(" ");
	return table({caption: "The numbers", rows: scores, filter: (score) => Object.values(score).join(" "), columns: [
		{title: "place", of: (score) => score.place},
		{title: "experiment", of: (score) => score.experiment, hint: "sluice figure NAME"},
		{title: "row", of: (score) => score.row},
		{title: "column", of: (score) => score.column},
		{title: "ours", number: true, mixed: true, of: (score) => Number(score.ours), cell: (score) => score.ours},
		{title: "published", number: true, mixed: true, of: (score) => Number(score.published), cell: (score) => score.published},
		{title: "points", number: true, of: (score) => score.points ?? NaN, cell: (score) => (isNumber(score.points) ? score.points.toFixed(1) : "")},
		{title: "verdict", of: (score) => (score.from === "taken" ? "taken" : score.verdict)},
		{title: "cause", wide: true, of: (score) => (score.beyond ? because(score) : "")},
		{title: "machine", of: (score) => score.machine},
		{title: "size", of: (score) => score.size},
	]});
}

function scorecardView(view) {
	const scores = DATA.scorecard, names = [...new Set(scores.flatMap(Object.keys))];
	replaceChildren(view, element("section.page", null,
		element("h2", null, "All published numbers"),
		figureChoice("scorecard"),
		element("p.muted", null, "Points: ratios and percentages are subtracted; other numbers differ by percent of the published one. Taken: our value is the published one."),
		element("div.tools", null, element("button", {onclick: () => download("scorecard.csv", csvText([names, ...scores.map((score) => names.map((name) => score[name] ?? ""))]))}, "CSV")),
		countTable(scores),
		papersOf(scores).map((paper) => quotientChart(paper, scores.filter((score) => score.paper === paper))),
		scoreTable(scores)));
	return {};
}
