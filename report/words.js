// The difference of two runs in words.

const more = (from, to) => (to >= from ? "more" : "fewer");

// "12.3 % faster", "1.4 times as fast"
function speedWords(a, b) {
	if (a === b)
		return "as fast as A, to the cycle";
	const ratio = a / b;
	if (ratio >= 2)
		return `${ratio.toFixed(2)} times as fast as A`;
	if (ratio <= 0.5)
		return `slower than A: it takes ${(1 / ratio).toFixed(2)} times the cycles`;
	return ratio > 1 ? `${(100 * (ratio - 1)).toFixed(1)} % faster than A` : `${(100 * (1 / ratio - 1)).toFixed(1)} % slower than A`;
}

// Levels of both stacks in cycles, by how much they changed: [{level, a, b, change}].
function levelChanges(a, b) {
	const one = a.stackCycles, other = b.stackCycles;
	return [...new Set([...Object.keys(one), ...Object.keys(other)])].map((level) =>
		({level, a: one[level] ?? 0, b: other[level] ?? 0, change: (other[level] ?? 0) - (one[level] ?? 0)}))
		.sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
}

const LEVEL_WORDS = {
	issued: "issuing", arithmetic: "waiting for arithmetic", shared: "waiting for shared memory", l1: "waiting for L1", texture: "waiting for textures",
	l2: "waiting for L2", dram: "waiting for DRAM", barrier: "waiting at barriers", held: "held by a mechanism", replayed: "replayed by a mechanism",
	conflict: "in front of a pipe without room", no_instruction: "without an instruction", idle: "idle",
};

const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// Where the cycles went that B has fewer, or more: the levels that made most of it, and what went the other way.
function levelSentence(a, b) {
	const changes = levelChanges(a, b), difference = b.value("cycles") - a.value("cycles");
	if (!changes.length || difference === 0)
		return "";
	const sign = Math.sign(difference), least = Math.abs(difference) * 0.03;
	const part = (row) => `${wholeFormat.format(Math.round(Math.abs(row.change)))} ${LEVEL_WORDS[row.level] ?? row.level}`;
	const along = changes.filter((row) => row.change * sign > least).slice(0, 3), against = changes.filter((row) => row.change * sign < -least).slice(0, 2);
	const verb = sign < 0 ? "saved" : "added";
	return `Of the ${wholeFormat.format(Math.abs(difference))} cycles ${verb}, by the cycle stack ${listed(along.map(part))} were ${sign < 0 ? "in A and are gone" : "not in A"}` +
		(against.length ? `; against that, ${listed(against.map(part))} ${sign < 0 ? "came on top" : "went away"}.` : ".");
}

function workSentence(a, b) {
	const one = a.value("thread_instructions"), other = b.value("thread_instructions");
	if (!isNumber(one) || !isNumber(other))
		return "";
	if (one === other)
		return `Both execute the same ${wholeFormat.format(one)} instructions of threads.`;
	return `B executes ${changeText(one, other).replace(/^[+-]/, "")} ${more(one, other)} instructions of threads (${wholeFormat.format(one)} and ${wholeFormat.format(other)}), so that part of the difference is another amount of work.`;
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
		sentences.push(`DRAM moves ${changeText(one, other).replace(/^[+-]/, "")} ${other > one ? "more" : "less"}`);
	return sentences.length ? listed(sentences) + "." : "";
}

const settingName = (row) => row.name.replace(/^fact:/, "");

function configurationSentence(rows) {
	if (!rows.length)
		return "Nothing was configured differently: the same machine, mechanisms and options.";
	const words = rows.slice(0, 5).map((row) => (row.a === "-" ? `${settingName(row)} ${row.b === "on" ? "is on in B alone" : `is ${row.b} in B`}`
		: row.b === "-" ? `${settingName(row)} ${row.a === "on" ? "is on in A alone" : `is ${row.a} in A`}` : `${settingName(row)} is ${row.a} in A and ${row.b} in B`));
	return `What differs: ${words.join("; ")}${rows.length > 5 ? `; and ${rows.length - 5} more settings` : ""}.`;
}

function caution(a, b) {
	const sentences = [];
	if (a.text("program") !== b.text("program"))
		sentences.push("These are different programs: cycles and counters are of different work.");
	for (const [letter, run] of [["A", a], ["B", b]])
		if (/cut|stopped/.test(`${run.facts.verdict} ${run.data.ended}`))
			sentences.push(`${letter} was cut by a limit of instructions: compare rates (IPC), not cycles.`);
		else if (run.facts.verdict && !/^(PASS|exit 0)$/.test(run.facts.verdict))
			sentences.push(`${letter} did not end well: ${run.facts.verdict}.`);
	return sentences;
}

// Sentences, what matters most first.
function differenceWords(a, b, settings) {
	const one = a.value("cycles"), other = b.value("cycles");
	const speed = isNumber(one) && isNumber(other) ? `B is ${speedWords(one, other)}: ${wholeFormat.format(other)} cycles instead of ${wholeFormat.format(one)}` +
		(one === other ? "." : ` (${signedText(other - one)}).`) : "One of these has no cycles: it ran functionally, failed, or launched no kernel.";
	return [speed, levelSentence(a.all, b.all), workSentence(a, b), memorySentences(a, b), configurationSentence(settings), ...caution(a, b)].filter((text) => text);
}
