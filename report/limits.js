// What limits a kernel: findings, use of units against their peaks, roofline, bytes on each link. src/limits/ computes
// all numbers (docs/how-to/limits.md).

const limitsShown = {of: 0};

// Creates an element of a picture.
function drawing(tag, attributes, ...children) {
	const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes ?? {}))
		made.setAttribute(name, value);
	made.append(...children.flat(Infinity).filter((child) => child));
	return made;
}
const drawnText = (x, y, text, attributes) => drawing("text", {x, y, ...attributes}, text);
const pictureOf = (width, height, words, ...children) => drawing("svg", {class: "drawing", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
	"aria-label": words}, children);

// "1.34 TB/s", "92.2 kB": three digits and a prefix of thousands.
function scaledText(value, unit) {
	const prefixes = ["", "k", "M", "G", "T", "P", "E"];
	let at = 0;
	while (value >= 999.5 && at + 1 < prefixes.length) {
		value /= 1000;
		at++;
	}
	return `${at ? value.toPrecision(3) : numberText(value)} ${prefixes[at]}${unit}`;
}

// --- findings ---

const gainText = (gain) => `at most ${gain < 9.995 ? gain.toFixed(2) : gain < 99.95 ? gain.toFixed(1) : gain.toFixed(0)} \u00d7`;

const findings = (rules) => element("dl.findings", null, rules.map(({name, text, gain}) => [
	element("dt", null, name, element("b", {title: "upper bound of the speedup without it"}, gainText(gain))), element("dd", null, text)]));

function occupancyWords({achieved, theoretical, limited_by: by, blocks_that_fit: fit, blocks_per_sm: placed, waves, warp_slots: slots}) {
	const words = `Achieved occupancy ${percentText(achieved)}: ${(achieved * slots).toFixed(1)} of ${slots} warps of an SM while it has a block.`;
	return theoretical === undefined ? words : `${words} Theoretical ${percentText(theoretical)}: ${plural(fit, "block")} fit, limited by ${by}; ` +
		`${placed} ${placed === 1 ? "is" : "are"} placed. ${waves.toFixed(2)} waves.`;
}

// --- use of units ---

const useBar = ({name, of, used, count, peak}) => [element("dt", null, name), element("dd", {title: `${numberText(Math.round(count))} of ${numberText(Math.round(peak))} ${of}`},
	element("div", null, element("i", {style: `width: ${(100 * used).toFixed(2)}%`})), element("span", null, percentText(used)))];

function useBars({use, load_store_occupied: occupied}) {
	return element("figure", null, element("figcaption", null, "Use of each unit, % of its peak"),
		element("dl.uses", null, use.map(useBar)),
		element("p.muted", null, `The load/store unit has an instruction in ${percentText(occupied)} of the cycles, waits included.`));
}

// --- roofline ---

const ROOF = {width: 620, height: 380, left: 78, right: 16, top: 30, bottom: 46};
const LEVEL_COLORS = {L1: "var(--series-2)", L2: "var(--series-1)", DRAM: "var(--series-0)"};
const LEVEL_SHAPES = {L1: "circle", L2: "square", DRAM: "diamond"};

// Decades that contain all values.
const decades = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];

function roofMark(shape, x, y, color, words) {
	const title = drawing("title", null, words), attributes = {fill: color, stroke: "var(--panel)", "stroke-width": 1.5};
	if (shape === "circle")
		return drawing("circle", {cx: x, cy: y, r: 9, fill: "none", stroke: color, "stroke-width": 2.5}, title); // others may lie in it
	const turn = shape === "diamond" ? `rotate(45 ${x} ${y})` : "";
	return drawing("rect", {x: x - 5.5, y: y - 5.5, width: 11, height: 11, transform: turn, ...attributes}, title);
}

function powerText(power) {
	const digits = [...String(Math.abs(power))].map((digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[digit]).join("");
	return power === 0 ? "1" : power === 1 ? "10" : `10${power < 0 ? "\u207b" : ""}${digits}`;
}

class Roofline {
	constructor({compute, memory}) {
		this.kinds = compute.filter(({operations}) => operations > 0);
		this.memory = memory.filter(({bytes}) => bytes > 0);
		this.points = this.kinds.flatMap((kind) => this.memory.map((level) => ({kind, level, x: kind.operations / level.bytes, y: kind.rate})));
		const ridges = this.kinds.flatMap((kind) => this.memory.map((level) => kind.peak / level.peak));
		[this.fromX, this.toX] = decades([...this.points.map(({x}) => x / 2), ...this.points.map(({x}) => x * 2), ...ridges.map((x) => x / 3), ...ridges]);
		[this.fromY, this.toY] = decades([...this.points.map(({y}) => y / 2), ...this.kinds.map(({peak}) => peak * 1.5)]);
	}

	x(value) {
		return ROOF.left + (Math.log10(value) - this.fromX) / (this.toX - this.fromX) * (ROOF.width - ROOF.left - ROOF.right);
	}

	y(value) {
		return ROOF.height - ROOF.bottom - (Math.log10(value) - this.fromY) / (this.toY - this.fromY) * (ROOF.height - ROOF.top - ROOF.bottom);
	}

	axes() {
		const left = ROOF.left, right = ROOF.width - ROOF.right, bottom = ROOF.height - ROOF.bottom, lines = [];
		for (let power = this.fromX; power <= this.toX; power++) {
			const x = this.x(10 ** power);
			lines.push(drawing("line", {x1: x, x2: x, y1: ROOF.top, y2: bottom, class: "grid-line"}),
				drawnText(x, bottom + 16, powerText(power), {"text-anchor": "middle", class: "tick"}));
		}
		for (let power = this.fromY; power <= this.toY; power++) {
			const y = this.y(10 ** power);
			lines.push(drawing("line", {x1: left, x2: right, y1: y, y2: y, class: "grid-line"}),
				drawnText(left - 6, y + 4, scaledText(10 ** power, "").replace(/\.0+/, ""), {"text-anchor": "end", class: "tick"}));
		}
		const middle = (ROOF.top + bottom) / 2;
		lines.push(drawnText((left + right) / 2, ROOF.height - 8, "operations per byte (FLOP/B)", {"text-anchor": "middle"}),
			drawnText(16, middle, "operations per second (FLOP/s)", {"text-anchor": "middle", transform: `rotate(-90 16 ${middle})`}));
		return lines;
	}

	// A level's sloping roof, up to the highest peak.
	slope({name, peak}) {
		const top = Math.max(...this.kinds.map((kind) => kind.peak));
		const from = Math.max(10 ** this.fromX, 10 ** this.fromY / peak), to = top / peak;
		return to > from && drawing("line", {x1: this.x(from), y1: this.y(from * peak), x2: this.x(to), y2: this.y(top), class: "roof", stroke: LEVEL_COLORS[name]},
			drawing("title", null, `${name}: ${scaledText(peak, "B/s")}`));
	}

	// Kinds with the same peak share a line. Names of different peaks are side by side, because lines may be near.
	ceilings() {
		const peaks = [...new Set(this.kinds.map(({peak}) => peak))].sort((one, other) => one - other);
		return peaks.map((peak, i) => this.ceiling(this.kinds.filter((kind) => kind.peak === peak).map(({name}) => name).join(", "), peak, i));
	}

	ceiling(names, peak, place) {
		const fastest = Math.max(...this.memory.map((level) => level.peak));
		const from = Math.max(10 ** this.fromX, peak / fastest), y = this.y(peak), right = ROOF.width - ROOF.right;
		return [drawing("line", {x1: this.x(from), x2: right, y1: y, y2: y, class: "roof", stroke: "var(--text)"}),
			drawnText(right - 170 * place, y - 5, `${names} peak, ${scaledText(peak, "FLOP/s")}`, {"text-anchor": "end", class: "tick"})];
	}

	draw() {
		const words = this.points.map(({kind, level, x, y}) => `${kind.name}: ${x.toPrecision(3)} FLOP/B of ${level.name}, ${scaledText(y, "FLOP/s")}`);
		return pictureOf(ROOF.width, ROOF.height, `Roofline. ${words.join(". ")}`, this.axes(), this.memory.map((level) => this.slope(level)),
			this.ceilings(),
			this.points.map(({level, x, y}, i) => roofMark(LEVEL_SHAPES[level.name], this.x(x), this.y(y), LEVEL_COLORS[level.name], words[i])));
	}
}

function rooflineFigure({roofline}) {
	const roof = new Roofline(roofline);
	if (!roof.points.length)
		return element("figure", null, element("figcaption", null, "Roofline"), element("p.muted", null, "The kernel has no floating-point operations."));
	return element("figure", null, element("figcaption", null, "Roofline: a mark for each level of memory, below the roof of its color"), roof.draw(),
		legendBox(roof.memory.map(({name, peak}) => [LEVEL_COLORS[name], `${name}, ${scaledText(peak, "B/s")} (${LEVEL_SHAPES[name]})`])));
}

// --- memory ---

const CHART = {width: 852, height: 186, box: 116};
const BOXES = {"warps": [4, 32, 146], "shared memory": [252, 132, 46], "L1": [252, 32, 60], "L2": [492, 32, 60], "DRAM": [732, 32, 60]};

function memoryBox(name, under) {
	const [x, y, height] = BOXES[name];
	return [drawing("rect", {x, y, width: CHART.box, height, rx: 5, class: "box"}),
		drawnText(x + CHART.box / 2, y + height / 2 + (under ? -3 : 4), name, {"text-anchor": "middle", class: "box-name"}),
		under && drawnText(x + CHART.box / 2, y + height / 2 + 14, under, {"text-anchor": "middle", class: "tick"})];
}

// An arrow whose width grows with the share of the largest link.
function memoryLink({from, to, bytes}, y, most) {
	const [left, right] = BOXES[from][0] < BOXES[to][0] ? [from, to] : [to, from];
	const x1 = BOXES[left][0] + CHART.box + 3, x2 = BOXES[right][0] - 3, forward = left === from, both = to === "shared memory";
	const width = bytes ? 1.5 + 6 * bytes / most : 1, head = 8, points = [];
	const tip = (x, turn) => `${x},${y} ${x - turn * head},${y - head / 2 - width / 2} ${x - turn * head},${y + head / 2 + width / 2}`;
	if (forward || both)
		points.push(tip(x2, 1));
	if (!forward || both)
		points.push(tip(x1, -1));
	const from1 = forward && !both ? x1 : x1 + head, to1 = forward || both ? x2 - head : x2;
	return drawing("g", {class: bytes ? "link" : "link none"},
		drawing("line", {x1: from1, x2: to1, y1: y, y2: y, "stroke-width": width}), points.map((each) => drawing("polygon", {points: each})),
		drawnText((x1 + x2) / 2, y - 5 - width / 2, scaledText(bytes, "B"), {"text-anchor": "middle"}),
		drawing("title", null, `${from} ${both ? "and" : "to"} ${to}: ${numberText(bytes)} bytes`));
}

function memoryFigure({links, l1_hits: l1, l2_hits: l2}) {
	const most = Math.max(1, ...links.map(({bytes}) => bytes));
	const height = ({from, to}) => (to === "shared memory" ? 158 : BOXES[from][0] < BOXES[to][0] ? 54 : 82);
	const words = links.map(({from, to, bytes}) => `${from} to ${to} ${scaledText(bytes, "B")}`).join(", ");
	const hits = (rate) => (isNumber(rate) ? `hits ${percentText(rate)}` : "no access");
	return element("figure", null, element("figcaption", null, "Bytes on each link"),
		pictureOf(CHART.width, CHART.height, `Bytes: ${words}`, links.map((each) => memoryLink(each, height(each), most)),
			memoryBox("warps"), memoryBox("shared memory"), memoryBox("L1", hits(l1)), memoryBox("L2", hits(l2)), memoryBox("DRAM")));
}

function limitsSection(run) {
	const list = run.data.limits, one = list[limitsShown.of] ?? list[0], {limits} = one;
	return [
		list.length > 1 && element("div.tools", null, select("of", list.map(({name, cycles}, i) => [String(i), `${shortened(name, 80)}, ${numberText(cycles)} cycles`]),
			String(list.indexOf(one)), (value) => {
				limitsShown.of = Number(value);
				render("limits");
			})),
		limits.rules.length ? findings(limits.rules) : element("p.muted", null, "Findings are of single kernels: choose one."),
		element("p", null, occupancyWords(limits.occupancy)),
		element("div.pair", null, useBars(limits), rooflineFigure(limits)),
		memoryFigure(limits),
	];
}
