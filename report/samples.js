// Shows a run's samples over time.

const samplesShown = {kernel: "all", names: []};

// The rows of a launch's samples, or of all launches in sequence: {x: end of the sample, cycles, value(name)}.
function sampleRows(samples, launch) {
	const column = Object.fromEntries(samples.names.map((name, i) => [name, samples.values[i]]));
	const count = samples.values[0]?.length ?? 0, rows = [];
	let offset = 0, before = 0;
	for (let i = 0; i < count; i++) {
		if (i && column.kernel[i] !== column.kernel[i - 1]) {
			offset += before;
			before = 0;
		}
		const cycle = column.cycle[i];
		if (launch === "all" || column.kernel[i] === Number(launch))
			rows.push({x: cycle + (launch === "all" ? offset : 0), cycles: column.cycles?.[i] ?? 0, value: (name) => column[name]?.[i] ?? 0});
		before = Math.max(before, cycle);
	}
	return rows;
}

// A sample's value applies from the end of the previous sample to its own end.
const points = (rows, of) => rows.filter((row) => row.cycles > 0).map((row) => ({x: row.x, y: of(row)})).filter((point) => isNumber(point.y));

function levelsOver(rows) {
	const levels = Object.keys(LEVELS).filter((level) => rows.some((row) => row.value(`sm.stack_${level}`) > 0));
	const sum = (row) => combine(levels.map((level) => row.value(`sm.stack_${level}`)));
	return levels.map((level) => ({label: levelName(level), color: levelColor(level),
		points: points(rows, (row) => (sum(row) ? 100 * row.value(`sm.stack_${level}`) / sum(row) : 0))}));
}

const OVER_TIME = {
	"thread instructions per cycle": (row) => row.value("ipc"),
	"live warps": (row) => row.value("live_warps"),
	"L1 hits %": (row) => 100 * row.value("l1d.hits") / row.value("l1d.accesses"),
	"L2 hits %": (row) => 100 * row.value("l2.hits") / row.value("l2.accesses"),
	"DRAM bytes per cycle": (row) => row.value("dram_bytes") / row.cycles,
};

function samplesSection(run) {
	const samples = run.data.samples;
	const launches = [...new Set(samples.values[samples.names.indexOf("kernel")])];
	const name = (launch) => {
		const found = run.launches.find((row) => row[FACT.launch] === launch && row[FACT.launches] === 1);
		return `${launch}: ${found ? shortKernel(DATA.kernels[found[FACT.kernel]][1]) : "launch"}`;
	};
	const kernel = launches.includes(Number(samplesShown.kernel)) ? samplesShown.kernel : "all";
	const rows = sampleRows(samples, kernel), counters = samples.names.filter((each) => each.includes(".") && !each.endsWith("]"));
	const first = rows.find((row) => row.cycles > 0);
	const span = {from: first ? first.x - first.cycles : 0, to: rows.at(-1)?.x ?? 1};
	const set = (change) => {
		Object.assign(samplesShown, change);
		render("over-time");
	};
	const own = samplesShown.names.filter((each) => counters.includes(each));
	const graph = (title, of) => {
		const list = points(rows, of);
		return list.length > 1 && element("figure", null, element("figcaption", null, title),
			lineChart(`${title} over ${plural(list.length, "sample")}`, 170, [{label: title, points: list}], "cycle", "", {...span, stepped: false}));
	};
	return [
		element("div.tools", null,
			launches.length > 1 && select("launch", [["all", "all, in sequence"], ...launches.map((launch) => [String(launch), name(launch)])],
				String(kernel), (value) => set({kernel: value})),
			select("add a counter", [["", "..."], ...counters.map((each) => [each])], "", (value) => value && set({names: [...new Set([...own, value])]})),
			own.length > 0 && element("button", {onclick: () => set({names: []})}, "none of these"),
			samples.merged > 1 && element("span.muted", null, `${samples.merged} consecutive samples are drawn as one`)),
		element("figure", null, element("figcaption", null, "Cycle stack over time: % of the slots charged in each sample"),
			lineChart("cycle stack over time", 260, levelsOver(rows), "cycle", "%", {...span, stacked: true, most: 100})),
		heatMap(rows, samples.names, span),
		element("div.pair", null, Object.entries(OVER_TIME).map(([title, of]) => graph(title, of)),
			own.map((each) => graph(`${each} a cycle`, (row) => row.value(each) / row.cycles))),
	];
}
