// Describes the difference of two runs in words.

// "12.3 % more", "3.2 times as many"
function amountWords(from, to) {
	const ratio = to / from;
	if (ratio >= 2 || ratio <= 0.5)
		return `${numberText(Number(ratio.toPrecision(3)))} times as many`;
	return ratio > 1 ? `${(100 * (ratio - 1)).toFixed(1)} % more` : `${(100 * (1 - ratio)).toFixed(1)} % fewer`;
}

// "B is 12.3 % faster than A: ..."
function speedSentence(a, b) {
	const ratio = a / b, cycles = `${wholeFormat.format(b)} cycles instead of ${wholeFormat.format(a)} (${signedText(b - a)})`;
	if (a === b)
		return `B takes as many cycles as A: ${wholeFormat.format(a)}.`;
	if (ratio >= 2)
		return `B is ${ratio.toFixed(2)} times as fast as A: ${cycles}.`;
	if (ratio <= 0.5)
		return `B takes ${(1 / ratio).toFixed(2)} times as long as A: ${cycles}.`;
	const percents = ratio > 1 ? `${(100 * (ratio - 1)).toFixed(1)} % faster` : `${(100 * (1 / ratio - 1)).toFixed(1)} % slower`;
	return `B is ${percents} than A: ${cycles}.`;
}

// The levels of both stacks in cycles, by amount of change: [{level, a, b, change}].
function levelChanges(a, b) {
	const one = a.stackCycles, other = b.stackCycles;
	return [...new Set([...Object.keys(one), ...Object.keys(other)])].map((level) =>
		({level, a: one[level] ?? 0, b: other[level] ?? 0, change: (other[level] ?? 0) - (one[level] ?? 0)}))
		.sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
}

const LEVEL_WORDS = {
	issued: "issuing", arithmetic: "waiting for arithmetic", shared: "waiting for shared memory", l1: "waiting for L1", texture: "waiting for textures",
	l2: "waiting for L2", dram: "waiting for DRAM", barrier: "waiting at barriers", held: "held by a mechanism", replayed: "replayed by a mechanism",
	conflict: "stalled by a full pipe", no_instruction: "without an instruction", idle: "without live warps",
};

const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// Explains where B saved or added cycles: the levels with the largest part of the change, and those that changed the
// other way. Slots are scaled to cycles (stackCycles), so that all levels add up to the difference.
function levelSentence(a, b) {
	const changes = levelChanges(a, b), difference = b.value("cycles") - a.value("cycles");
	if (!changes.length || difference === 0)
		return "";
	const sign = Math.sign(difference), saved = sign < 0, least = Math.abs(difference) * 0.03;
	const along = changes.filter((row) => row.change * sign > least).slice(0, 3), against = changes.filter((row) => row.change * sign < -least).slice(0, 2);
	const part = (row) => `${wholeFormat.format(Math.round(Math.abs(row.change)))} ${LEVEL_WORDS[row.level] ?? row.level}`;
	const total = `${wholeFormat.format(Math.abs(difference))} ${saved ? "saved" : "added"} cycles`;
	const spent = (row, i) => (i ? part(row) : part(row).replace(" ", ` of the ${total} ${saved ? "were" : "are"} spent `));
	const within = combine(along.map((row) => Math.abs(row.change))) <= Math.abs(difference);
	const first = within ? listed(along.map(spent))
		: `By the cycle stack, B has ${saved ? "fewer" : "more"} cycles: ${listed(along.map(part))}`;
	return along.length ? first + (against.length ? `; against that, ${saved ? "more" : "fewer"}: ${listed(against.map(part))}.` : ".") : "";
}

function workSentence(a, b) {
	const one = a.value("thread_instructions"), other = b.value("thread_instructions");
	if (!isNumber(one) || !isNumber(other))
		return "";
	if (one === other)
		return `Both execute the same ${wholeFormat.format(one)} thread instructions.`;
	if (Math.abs(other / one - 1) < 0.0005)
		return `Both execute nearly the same work: ${wholeFormat.format(one)} and ${wholeFormat.format(other)} thread instructions.`;
	return `B executes ${amountWords(one, other)} thread instructions (${wholeFormat.format(other)} for ${wholeFormat.format(one)}): ` +
		"part of the difference comes from the amount of work.";
}

function memorySentences(a, b) {
	const rate = (name) => [figure(name).of(a), figure(name).of(b)];
	const sentences = [];
	for (const [name, cache] of [["L1 hits %", "L1"], ["L2 hits %", "L2"]]) {
		const [one, other] = rate(name);
		if (isNumber(one) && isNumber(other) && Math.abs(one - other) >= 0.5)
			sentences.push(`${cache} hits ${one < other ? "rise" : "fall"} from ${one.toFixed(1)} % to ${other.toFixed(1)} %`);
	}
	const [one, other] = [a, b].map((run) => run.value("dram.reads") + run.value("dram.writes"));
	if (isNumber(one) && isNumber(other) && one > 0 && Math.abs(other / one - 1) >= 0.01)
		sentences.push(`B makes ${amountWords(one, other)} DRAM reads and writes`);
	return sentences.length ? listed(sentences) + "." : "";
}

// With several kernels: the one with the largest part of the difference.
function kernelSentence(a, b) {
	const difference = b.value("cycles") - a.value("cycles");
	const rows = kernelChanges(a, b).filter((row) => row.a && row.b && !row.b.uncounted && !row.b.isSession).map((row) => ({name: row.name, change: row.b.value("cycles") - row.a.value("cycles")}));
	const [most] = [...rows].sort((one, other) => (other.change - one.change) * Math.sign(difference));
	if (rows.length < 2 || !difference || !most || most.change / difference < 0.3)
		return "";
	const cycles = `${wholeFormat.format(Math.abs(most.change))} cycles ${most.change < 0 ? "fewer" : "more"}`;
	return `Kernel ${kernelWord(most.name)} accounts for most of the difference: ${cycles}.`;
}

// The machine's counters with the largest relative changes. Ignores counters that are small compared with others of
// their group.
function counterSentence(a, b) {
	const groupOf = (name) => name.split(".")[0], largest = new Map();
	for (const name of a.counters)
		largest.set(groupOf(name), Math.max(largest.get(groupOf(name)) ?? 0, a.value(name) || 0, b.value(name) || 0));
	const rows = counterChanges(a, b).filter((row) => isNumber(row.a) && isNumber(row.b) && DATA.meanings[row.name]?.[1] && !row.name.startsWith("sm.stack_") &&
		Math.max(row.a, row.b) >= Math.max(100, 0.01 * largest.get(groupOf(row.name))) && relative(row) >= 0.1)
		.sort((one, other) => relative(other) - relative(one)).slice(0, 3);
	return rows.length ? `The machine's counters that changed most: ${listed(rows.map((row) => `${row.name} (${changeText(row.a, row.b)})`))}.` : "";
}

function lineSentence(a, b) {
	const {rows, what} = lineChanges(a, b), named = (row) => `line ${row.line ?? "?"} of ${row.file || kernelWord(row.kernel)}`;
	const by = (sign) => [...rows].filter((row) => (row.b - row.a) * sign > 0).sort((one, other) => (other.b - other.a - one.b + one.a) * sign)[0];
	const gained = by(-1), lost = by(1);
	const part = (row, verb) => row && `${named(row)} ${verb} most (${signedText(row.b - row.a)})`;
	const parts = [part(gained, "gained"), part(lost, "lost")].filter((words) => words);
	return parts.length ? `Measured in ${what}, ${listed(parts)}.` : "";
}

function configurationSentence(rows) {
	if (!rows.length)
		return "Both have the same machine, mechanisms and options.";
	const words = rows.slice(0, 5).map((row) => (row.a === "-" ? `${row.name} ${row.b === "on" ? "is on only in B" : `is ${row.b} in B`}`
		: row.b === "-" ? `${row.name} ${row.a === "on" ? "is on only in A" : `is ${row.a} in A`}` : `${row.name} is ${row.a} in A and ${row.b} in B`));
	return `Settings that differ: ${words.join("; ")}${rows.length > 5 ? `; and ${rows.length - 5} more settings` : ""}.`;
}

function caution(a, b) {
	const sentences = [];
	if (a.text("program") !== b.text("program"))
		sentences.push("These are different programs, so cycles and counters measure different work.");
	for (const [letter, run] of [["A", a], ["B", b]])
		if (/cut|stopped/.test(`${run.facts.verdict} ${run.data.ended}`))
			sentences.push(`${letter} was stopped by an instruction limit: compare rates (IPC), not cycles.`);
		else if (run.facts.verdict && !/^(PASS|exit 0)$/.test(run.facts.verdict))
			sentences.push(`${letter} did not end normally: ${run.facts.verdict}.`);
	return sentences;
}

// The sentences, in order of importance.
function differenceWords(a, b, settings) {
	const one = a.value("cycles"), other = b.value("cycles");
	const speed = isNumber(one) && isNumber(other) ? speedSentence(one, other)
		: "One of the runs has no cycles: it ran functionally, failed, or launched no kernel.";
	return [speed, ...caution(a, b), levelSentence(a.all, b.all), kernelSentence(a, b), workSentence(a, b), memorySentences(a, b),
		counterSentence(a, b), lineSentence(a, b), configurationSentence(settings)].filter((text) => text);
}
