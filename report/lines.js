// Costs by instruction and by source line: from profiles, and from mechanisms' accounts of loads.

// Descriptions of a profile's figures; other figures are shown by their name only.
const LINE_FIGURES = {
	issues: "warp instructions issued", lanes: "active lanes, summed over all issues", transactions: "memory transactions after coalescing",
	bank_cycles: "cycles that it occupied the shared-memory banks", latency_mean: "cycles from issue to the data, mean",
	latency_p95: "95th percentile of cycles from issue to the data", dram_bytes: "moved between L2 and DRAM", diverged: "branches whose lanes took both directions",
	l1_accesses: "accesses to L1", l1_hits: "hits in L1", l2_accesses: "accesses to L2", l2_hits: "hits in L2",
};
const PLACE = ["instructions", "index", "ptx_line", "file", "line", "text", "waits", "kernel", "function", "waited_for_by"];

const waitsOf = (row) => combine(Object.values(row.waits ?? {}));

// Sums the instructions of a line. Mean latencies are averaged over all replies; for 95th percentiles the largest is
// taken.
function addLines(rows) {
	const sum = {...rows[0], waits: {}, instructions: rows.length};
	for (const row of rows)
		for (const [cause, slots] of Object.entries(row.waits ?? {}))
			sum.waits[cause] = (sum.waits[cause] ?? 0) + slots;
	sum.waited_for_by = rows.flatMap((row) => row.waited_for_by ?? []);
	for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
		const known = rows.filter((row) => isNumber(row[name]));
		if (PLACE.includes(name) || !known.length)
			continue;
		const weight = combine(known.map((row) => row.answers ?? 1)) || 1;
		sum[name] = name === "latency_mean" ? combine(known.map((row) => row[name] * (row.answers ?? 1))) / weight
			: name === "latency_p95" ? Math.max(...known.map((row) => row[name])) : combine(known.map((row) => row[name]));
	}
	return sum;
}

// Files of the compiler and of Sluice's toolkit: the program includes them, but nobody changes them.
const isProvided = (row) => /\/lib\/clang\/|\/toolkit\/include\//.test(row.file ?? "");

// All lines of a kernel's sources, including those without instructions, each with the sum of its instructions. Those of
// provided files follow the program's.
function sourceLines(kernel) {
	const groups = new Map();
	for (const row of kernel.instructions ?? []) {
		const key = row.line ? `${row.file ?? ""}\n${row.line}` : "";
		groups.set(key, [...(groups.get(key) ?? []), row]);
	}
	const lines = Object.entries(kernel.source ?? {}).flatMap(([file, texts]) => texts.map((text, i) => {
		const rows = groups.get(`${file}\n${i + 1}`);
		groups.delete(`${file}\n${i + 1}`);
		return rows ? {...addLines(rows), text} : {file, line: i + 1, text, waits: {}};
	}));
	// Rows without a source: lines of files that are not in the page, and instructions without a line.
	const others = [...groups.entries()].map(([key, rows]) => ({...addLines(rows), text: key ? "" : "(no line of a source)",
		file: key ? rows[0].file : "", line: key ? rows[0].line : null}));
	const own = lines.filter((row) => !isProvided(row)), provided = lines.filter(isProvided);
	return [...own, ...provided, ...others.sort((one, other) => compare(one.file, other.file) || compare(one.line, other.line))];
}

const share = (part, whole) => (whole > 0 ? part / whole : NaN);

function heatStyle(value, most) {
	return value > 0 ? `background: rgb(var(--heat) / ${(0.08 + 0.62 * value / most).toFixed(3)})` : null;
}

// Columns for all figures of the rows: hit rates replace hit counts; unknown figures follow unchanged.
function lineColumns(rows) {
	const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !PLACE.includes(name));
	const rates = [["L1 hits", "l1_hits", "l1_accesses"], ["L2 hits", "l2_hits", "l2_accesses"]].filter(([, hits]) => names.includes(hits));
	const hidden = rates.map(([, hits]) => hits);
	return [
		...names.filter((name) => !hidden.includes(name)).map((name) => {
			const number = rows.every((row) => row[name] === undefined || row[name] === null || isNumber(row[name]));
			return {title: name.replaceAll("_", " "), hint: LINE_FIGURES[name], number, of: (row) => row[name],
				cell: number ? (row) => (row[name] === undefined || row[name] === 0 ? "" : numberText(row[name]))
					: (row) => (typeof row[name] === "object" && row[name] ? JSON.stringify(row[name]) : String(row[name] ?? ""))};
		}),
		...rates.map(([title, hits, accesses]) => ({title, number: true, hint: "hits / accesses",
			of: (row) => share(row[hits], row[accesses]), cell: (row) => (row[accesses] ? percentText(share(row[hits], row[accesses])) : "")})),
	];
}

// The instructions that waited for a row's data, named by `placeOf`, with their slots, in descending order.
function waiters(row, placeOf) {
	const sums = new Map();
	for (const {index, slots} of row.waited_for_by ?? [])
		sums.set(placeOf(index), (sums.get(placeOf(index)) ?? 0) + slots);
	return [...sums].sort((one, other) => other[1] - one[1]);
}

function waitersColumn(placeOf, what) {
	const words = (list) => list.map(([place, slots]) => `${place}: ${numberText(slots)}`).join(", ");
	return {title: "waited for by", hint: `${what} that waited for its data, with their slots`, of: (row) => combine(waiters(row, placeOf).map(([, slots]) => slots)),
		cell: (row) => {
			const list = waiters(row, placeOf);
			return list.length ? element("span", {title: words(list)}, words(list.slice(0, 2)) + (list.length > 2 ? " ..." : "")) : "";
		}};
}

// `code` is the title of the column with the source text.
function heatTable(rows, first, code, caption, last) {
	const most = Math.max(1, ...rows.map(waitsOf)), all = combine(rows.map(waitsOf));
	return table({
		rows,
		caption,
		filter: (row) => `${row.text ?? ""} ${row.line ?? ""}`,
		columns: [
			...first,
			{title: "waiting slots", number: true, hint: "scheduler slots in which a warp waited at it", of: waitsOf,
				cell: (row) => (waitsOf(row) ? `${numberText(waitsOf(row))}  ${percentText(share(waitsOf(row), all))}` : ""),
				style: (row) => heatStyle(waitsOf(row), most)},
			{title: "waits for", of: (row) => Object.entries(row.waits ?? {}).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "",
				cell: (row) => (waitsOf(row) ? miniStack(row.waits) : "")},
			codeColumn(code),
			...lineColumns(rows),
			...(rows.some((row) => row.waited_for_by?.length) ? [last] : []),
		],
	});
}

const codeColumn = (title) => ({title, code: true, of: (row) => row.text,
	cell: (row) => element("code", {title: row.text?.length > 70 ? row.text.trim() : null}, row.text ?? "")});
const SOURCE = "source lines", PTX = "PTX instructions", NEAR = 3;
const lineShown = {kernel: 0, form: SOURCE, lines: "near the code"};

// Lines with instructions, and in the program's own files the lines around them.
function nearCode(rows) {
	const has = rows.map((row) => row.instructions > 0);
	return rows.filter((row, i) => (isProvided(row) ? has[i] : has.slice(Math.max(0, i - NEAR), i + NEAR + 1).some((each) => each)));
}

function profileSection(run) {
	const kernels = run.data.profile, kernel = kernels[lineShown.kernel] ?? kernels[0];
	const lines = lineShown.form === SOURCE ? sourceLines(kernel ?? {}) : [];
	const set = (key, value) => {
		lineShown[key] = value;
		render("lines");
	};
	const files = [...new Set(lines.map((row) => row.file).filter(Boolean))];
	const lineOf = new Map((kernel?.instructions ?? []).map((row) => [row.index, row.line ? `line ${row.line}` : "no line"]));
	return [
		element("div.tools", null,
			kernels.length > 1 && select("kernel", kernels.map((each, i) => [String(i), each.demangled ?? each.name ?? "?"]),
				String(kernels.indexOf(kernel)), (value) => set("kernel", Number(value))),
			choice("form", [SOURCE, PTX], lineShown.form, (word) => set("form", word)),
			lineShown.form === SOURCE && choice("lines", ["near the code", "whole files"], lineShown.lines, (word) => set("lines", word)),
			element("span.muted", null, `${kernel?.launches > 1 ? `${kernel.launches} launches` : "1 launch"}, ${numberText(kernel?.cycles)} cycles`)),
		lineShown.form === SOURCE
			? heatTable(lineShown.lines === "whole files" ? lines : nearCode(lines), [
				...(files.length > 1 ? [{title: "file", of: (row) => row.file ?? "", cell: (row) => element("span", {title: row.file}, (row.file ?? "").split("/").pop())}] : []),
				{title: "line", number: true, of: (row) => row.line, cell: (row) => String(row.line ?? "")}], "source", files.length === 1 ? files[0] : "Source lines",
			waitersColumn((index) => lineOf.get(index) ?? "no line", "lines"))
			: heatTable(kernel?.instructions ?? [], [
				{title: "#", number: true, of: (row) => row.index, cell: (row) => String(row.index ?? "")},
				{title: "source line", number: true, of: (row) => row.line, cell: (row) => String(row.line ?? "")}], "PTX", PTX, waitersColumn((index) => `# ${index}`, "instructions")),
	];
}

// --- loads: vectors of mechanisms with one element per load ---

const LOAD_LABEL = /^(.*) pc (\d+) line (\d+)$/;
const isByLoad = (vector) => vector.labels?.length > 0 && vector.labels.every((label) => LOAD_LABEL.test(label));

// One row per load: {kernel, pc, line, "l1_by_load.misses": 12, ...}.
function byLoad(run) {
	const rows = new Map();
	for (const [name, vector] of Object.entries(run.data.vectors ?? {}).filter(([, each]) => isByLoad(each)))
		vector.labels.forEach((label, i) => {
			const [, symbol, pc, line] = label.match(LOAD_LABEL), kernel = DATA.kernels.find(([each]) => each === symbol)?.[1] ?? symbol;
			const row = rows.get(label) ?? {kernel, pc: Number(pc), line: Number(line) || null};
			row[name] = vector.values[i];
			rows.set(label, row);
		});
	return [...rows.values()];
}

function byLoadTable(rows) {
	const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => name.includes(".") && rows.some((row) => row[name] > 0));
	const mechanisms = new Set(names.map((name) => name.split(".")[0]));
	const most = new Map(names.map((name) => [name, Math.max(...rows.map((row) => row[name] ?? 0))]));
	const rate = (row) => share(row["l1_by_load.misses"], row["l1_by_load.accesses"]);
	return table({rows, caption: `By load: ${[...mechanisms].join(", ")}`, filter: (row) => `${row.kernel} ${row.line}`, columns: [
		...loadPlace,
		...names.map((name) => ({title: (mechanisms.size > 1 ? name : name.split(".")[1]).replaceAll("_", " "), number: true, of: (row) => row[name],
			style: name.endsWith(".misses") ? (row) => heatStyle(row[name], most.get(name)) : undefined})),
		...(names.includes("l1_by_load.misses") ? [{title: "% miss", number: true, of: rate, cell: (row) => percentText(rate(row))}] : []),
	]});
}

const loadPlace = [
	{title: "kernel", of: (row) => row.kernel, cell: (row) => kernelName(row.kernel)},
	{title: "line", number: true, of: (row) => row.line, cell: (row) => String(row.line ?? "-"), hint: "of the CUDA source"},
	{title: "pc", number: true, of: (row) => row.pc, cell: (row) => String(row.pc)},
];

// --- loads: prefetchers' accounts (docs/reference/statistics.md, Loads) ---

const loadRows = (run) => (run.data.loads ?? []).map(([kernel, mechanism, load]) =>
	({kernel: DATA.kernels[kernel][1], mechanism, ...load}));

function loadsSection(run) {
	const rows = loadRows(run), numbers = (name) => (row) => row[name];
	const any = (name) => rows.some((row) => row[name] > 0);
	const rate = (title, hint, part, whole) => ({title, number: true, hint, of: (row) => share(part(row), whole(row)),
		cell: (row) => percentText(share(part(row), whole(row)))});
	const known = ["issued", "useful", "late", "early_evicted", "redundant"];
	const others = [...new Set(rows.flatMap(Object.keys))].filter((name) => any(name) &&
		!["kernel", "mechanism", "pc", "line", "prefetch_distance", "late_wait", ...known].includes(name));
	const wanted = byLoad(run);
	return [wanted.length > 0 && byLoadTable(wanted), rows.length > 0 && table({rows, caption: "Prefetch requests by load",
		filter: (row) => `${row.kernel} ${row.mechanism} ${row.line}`, columns: [
		...loadPlace,
		{title: "mechanism", of: (row) => row.mechanism},
		...known.filter(any).map((name) => ({title: name.replaceAll("_", " "), number: true, of: numbers(name),
			hint: DATA.meanings[`${rows.find((row) => row[name] > 0)?.mechanism}.${name}`]?.[2]})),
		...(any("issued") ? [rate("% correct", "(useful + late) / issued", (row) => row.useful + row.late, numbers("issued")),
			{title: "distance", number: true, hint: "mean cycles from the request to the first instruction that used the line",
				of: (row) => share(row.prefetch_distance, row.useful + row.late)},
			{title: "wait", number: true, hint: "mean cycles that this instruction waited for late prefetches", of: (row) => share(row.late_wait, row.late)}] : []),
		...others.map((name) => ({title: name.replaceAll("_", " "), number: true, of: numbers(name)})),
	]})];
}
