// A run's timeline: the activity of each unit. Drawn on a canvas, because there may be several hundred thousand bars.

const LANE_HEIGHT = 14, LANE_NAMES = 118, AXIS_HEIGHT = 22, COUNTER_HEIGHT = 34;
const GRAY_SERIES = 7; // too similar to the color of kernels
const timelineShown = {kernel: null, units: "SM 0", counters: true};

// The kind of an event. Launches are recognized by their arguments, because kernels can have any name.
const laneKind = (name, args) => (args.startsWith("launch=") ? "kernel" : name.includes(".") ? name.split(".")[0] : "block");

// The lanes of a launch for the selected units: [{unit, track, kind, events: [{begin, end, name, args}]}], ordered by
// unit.
function timelineLanes(timeline, kernel, units) {
	const lanes = new Map(), {texts} = timeline;
	timeline.kernel.forEach((launch, i) => {
		const unit = texts[timeline.unit[i]];
		if (launch !== kernel || (units !== "all" && unit !== units && unit !== "GPU"))
			return;
		const name = texts[timeline.name[i]], kind = laneKind(name, texts[timeline.args[i]]);
		const key = `${unit}\n${kind}\n${timeline.track[i]}`;
		if (!lanes.has(key))
			lanes.set(key, {unit, kind, track: timeline.track[i], label: laneLabel(unit, kind, timeline.track[i]), events: []});
		lanes.get(key).events.push({begin: timeline.begin[i], end: timeline.begin[i] + timeline.cycles[i], name: kind === "kernel" ? "kernel" : name,
			args: (kind === "kernel" ? name + " " : "") + texts[timeline.args[i]]});
	});
	const rank = (lane) => (lane.unit === "GPU" ? 0 : lane.unit.startsWith("SM") ? 1 : 2);
	const kindRank = (lane) => ["kernel", "block", "warp"].indexOf(lane.kind) + 1 || 4;
	return [...lanes.values()].sort((one, other) => rank(one) - rank(other) || compare(one.unit, other.unit) ||
		kindRank(one) - kindRank(other) || compare(one.kind, other.kind) || one.track - other.track);
}

// The counters of a launch that exceed 0 at least once: [{name, unit, steps: [{from, to, value}]}].
function timelineCounters(timeline, kernel, end) {
	return Object.entries(timeline.counters ?? {}).map(([name, {unit, kernel: kernels, cycle, value}]) => {
		const found = cycle.map((from, i) => ({from, value: value[i]})).filter((_, i) => kernels[i] === kernel);
		return {name, unit, steps: found.map((step, i) => ({...step, to: found[i + 1]?.from ?? end})), most: Math.max(0, ...found.map((step) => step.value))};
	}).filter((counter) => counter.most > 0);
}

const counterText = (counter, value) => `${numberText(value)}${counter.unit === "%" ? " %" : ""}`;

const laneLabel = (unit, kind, track) => (kind === "kernel" ? unit : `${unit} ${kind === "block" ? "slot" : kind} ${track}`);

class Timeline {
	// Events named `gray` have no color of their own.
	constructor(counters, lanes, end, gray = "kernel") {
		Object.assign(this, {counters, lanes, end, gray, from: 0, to: end, lanesFrom: counters.length * COUNTER_HEIGHT});
		this.names = [...new Set(lanes.flatMap((lane) => lane.events.map((event) => event.name)))];
		this.canvas = element("canvas", {role: "img", tabindex: "0",
			"aria-label": "timeline, summarized by the table below. Keys: left and right move, + and - zoom, 0 shows all",
			onkeydown: (event) => this.key(event), onwheel: (event) => this.wheel(event), onmousemove: (event) => this.move(event),
			onmousedown: (event) => (this.dragged = event.offsetX), onmouseleave: () => this.leave()});
		this.note = element("div.tip", {hidden: true});
		this.frame = element("div.timeline", {style: `height: ${this.lanesFrom + lanes.length * LANE_HEIGHT + AXIS_HEIGHT}px`}, this.canvas, this.note);
		undrawn.push(() => {
			this.draw();
			new ResizeObserver(() => this.draw()).observe(this.frame);
		});
	}

	legend() {
		return legendBox(this.names.map((name) => [this.color(name), name]));
	}

	color(name) {
		if (name === this.gray)
			return cssColor("--muted");
		const number = this.names.filter((each) => each !== this.gray).indexOf(name);
		return seriesColor(number < GRAY_SERIES ? number : number + 1);
	}

	x(cycle) {
		return LANE_NAMES + (cycle - this.from) * (this.right - LANE_NAMES) / (this.to - this.from);
	}

	cycle(x) {
		return this.from + (x - LANE_NAMES) * (this.to - this.from) / (this.right - LANE_NAMES);
	}

	draw() {
		const pen = penOf(this.canvas);
		this.right = this.canvas.clientWidth;
		if (!pen)
			return;
		pen.textBaseline = "middle";
		this.drawCounters(pen);
		this.drawLanes(pen);
		this.drawAxis(pen);
	}

	// Each counter has its own axis, from 0 to its largest value.
	drawCounters(pen) {
		const text = cssColor("--muted"), line = cssColor("--line"), area = cssColor("--accent");
		this.counters.forEach((counter, i) => {
			const y = i * COUNTER_HEIGHT, height = COUNTER_HEIGHT - 6, bottom = y + COUNTER_HEIGHT - 2;
			pen.fillStyle = text;
			pen.fillText(counter.name, 4, y + 11, LANE_NAMES - 8);
			pen.fillText(`0 to ${counterText(counter, counter.most)}`, 4, y + 25, LANE_NAMES - 8);
			pen.fillStyle = line;
			pen.fillRect(LANE_NAMES, bottom, this.right - LANE_NAMES, 1);
			pen.fillStyle = area;
			for (const {from, to, value} of counter.steps) {
				if (to < this.from || from > this.to)
					continue;
				const left = Math.max(LANE_NAMES, this.x(from)), right = Math.min(this.right, this.x(to)), top = bottom - height * value / counter.most;
				pen.globalAlpha = 0.3;
				pen.fillRect(left, top, right - left, bottom - top);
				pen.globalAlpha = 1;
				pen.fillRect(left, top, right - left, 1);
			}
		});
	}

	drawLanes(pen) {
		const colors = new Map(this.names.map((name) => [name, this.color(name)]));
		const text = cssColor("--muted"), line = cssColor("--line"), paper = cssColor("--panel");
		let unit = "";
		this.lanes.forEach((lane, i) => {
			const y = this.lanesFrom + i * LANE_HEIGHT;
			if (lane.unit !== unit) {
				pen.fillStyle = line;
				pen.fillRect(0, y, this.right, 1);
			}
			unit = lane.unit;
			pen.fillStyle = text;
			pen.fillText(lane.label, 4, y + LANE_HEIGHT / 2, LANE_NAMES - 8);
			for (const event of lane.events)
				if (event.end >= this.from && event.begin <= this.to)
					this.drawEvent(pen, event, y + 2, colors.get(event.name), paper);
		});
	}

	// A bar, faint until the cycle `works`.
	drawEvent(pen, {begin, end, works = begin}, y, color, paper) {
		const within = (cycle) => Math.round(Math.min(this.right, Math.max(LANE_NAMES, this.x(cycle))));
		const left = within(begin), middle = within(works), right = within(end);
		pen.fillStyle = color;
		if (middle > left) {
			pen.globalAlpha = 0.35;
			pen.fillRect(left, y, middle - left, LANE_HEIGHT - 3);
			pen.globalAlpha = 1;
		}
		pen.fillRect(middle, y, Math.max(middle > left ? 0 : 1, right - middle), LANE_HEIGHT - 3);
		if (right - left > 4) {
			pen.fillStyle = paper;
			pen.fillRect(right - 1, y, 1, LANE_HEIGHT - 3);
		}
	}

	drawAxis(pen) {
		const y = this.lanesFrom + this.lanes.length * LANE_HEIGHT, width = this.right - LANE_NAMES;
		const raw = (this.to - this.from) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(raw));
		const step = Math.max(1, power * [1, 2, 5, 10].find((factor) => factor * power >= raw));
		pen.fillStyle = cssColor("--muted");
		pen.fillText("core cycle", 4, y + 12);
		for (let cycle = Math.ceil(this.from / step) * step; cycle <= this.to; cycle += step) {
			pen.fillRect(this.x(cycle), y, 1, 4);
			const text = wholeFormat.format(cycle);
			pen.fillText(text, Math.min(this.x(cycle) + 3, this.right - pen.measureText(text).width), y + 12);
		}
	}

	show(from, to) {
		const width = Math.min(this.end, Math.max(10, to - from));
		this.from = Math.min(Math.max(0, from), this.end - width);
		this.to = this.from + width;
		this.draw();
	}

	zoom(factor, about) {
		this.show(about - (about - this.from) * factor, about + (this.to - about) * factor);
	}

	key(event) {
		const middle = (this.from + this.to) / 2, step = (this.to - this.from) / 8;
		const does = {
			"ArrowLeft": () => this.show(this.from - step, this.to - step),
			"ArrowRight": () => this.show(this.from + step, this.to + step),
			"+": () => this.zoom(0.7, middle),
			"-": () => this.zoom(1 / 0.7, middle),
			"0": () => this.show(0, this.end),
		}[event.key];
		if (!does)
			return;
		does();
		event.preventDefault();
	}

	// Without Ctrl the wheel scrolls the page.
	wheel(event) {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.cycle(event.offsetX));
	}

	move(event) {
		if (event.buttons === 1 && this.dragged !== undefined) {
			const by = this.cycle(this.dragged) - this.cycle(event.offsetX);
			this.dragged = event.offsetX;
			this.show(this.from + by, this.to + by);
			return;
		}
		const text = this.textAt(event.offsetY, this.cycle(event.offsetX));
		this.note.hidden = !text;
		this.note.textContent = text;
		this.note.style.left = `${Math.max(0, Math.min(event.offsetX + 12, this.right - 320))}px`;
		this.note.style.top = `${event.offsetY + 14}px`;
	}

	// Describes what is drawn at the position; "" if nothing is.
	textAt(y, cycle) {
		const counter = this.counters[Math.floor(y / COUNTER_HEIGHT)], step = counter?.steps.find((each) => each.from <= cycle && cycle < each.to);
		if (step)
			return `${counter.name}  ${counterText(counter, step.value)}${counter.unit === "%" ? "" : ` ${counter.unit}`}, from ${numberText(step.from)} to ${numberText(step.to)}`;
		const lane = counter ? undefined : this.lanes[Math.floor((y - this.lanesFrom) / LANE_HEIGHT)];
		const slack = (this.to - this.from) / this.right;
		const found = lane?.events.findLast((each) => each.begin <= cycle + slack && cycle - slack <= each.end);
		return found ? this.eventText(found) : "";
	}

	eventText({name, begin, end, args}) {
		return `${name}  ${numberText(begin)} to ${numberText(end)}, ${plural(end - begin, "cycle")}  ${args}`;
	}

	leave() {
		this.note.hidden = true;
	}
}

const zoomButtons = (drawn) => [
	element("button", {onclick: () => drawn.zoom(0.5, (drawn.from + drawn.to) / 2)}, "zoom in"),
	element("button", {onclick: () => drawn.zoom(2, (drawn.from + drawn.to) / 2)}, "zoom out"),
	element("span.muted", null, "drag to move, Ctrl and wheel to zoom"),
];

// The count, total cycles and longest duration of each kind of event.
function timelineSums(lanes) {
	const sums = new Map();
	for (const event of lanes.flatMap((lane) => lane.events)) {
		const sum = sums.get(event.name) ?? {name: event.name, count: 0, cycles: 0, longest: 0};
		sum.count++;
		sum.cycles += event.end - event.begin;
		sum.longest = Math.max(sum.longest, event.end - event.begin);
		sums.set(event.name, sum);
	}
	return [...sums.values()];
}

// The mean, weighted by the cycles for which each value lasted.
const stepsMean = ({steps}) => share(combine(steps.map((step) => step.value * (step.to - step.from))), combine(steps.map((step) => step.to - step.from)));

function timelineSection(run) {
	const timeline = run.data.timeline, {texts} = timeline;
	const kernels = [...new Set(timeline.kernel)].sort((a, b) => a - b);
	const units = [...new Set(timeline.unit)].map((unit) => texts[unit]).filter((unit) => unit !== "GPU").sort(compare);
	const kernel = kernels.includes(timelineShown.kernel) ? timelineShown.kernel : kernels[0];
	const unit = units.includes(timelineShown.units) || timelineShown.units === "all" ? timelineShown.units : units[0] ?? "all";
	const lanes = timelineLanes(timeline, kernel, unit);
	const end = Math.max(1, ...lanes.map((lane) => lane.events.reduce((most, event) => Math.max(most, event.end), 0)));
	const counters = timelineCounters(timeline, kernel, end), drawn = new Timeline(timelineShown.counters ? counters : [], lanes, end);
	const set = (change) => {
		Object.assign(timelineShown, change);
		render("timeline");
	};
	return [
		element("div.tools", null,
			select("launch", kernels.map((launch) => [String(launch)]), String(kernel), (value) => set({kernel: Number(value)})),
			select("units", [["all", "all"], ...units.map((name) => [name])], unit, (value) => set({units: value})),
			zoomButtons(drawn),
			counters.length > 0 && element("button", {"aria-pressed": String(timelineShown.counters),
				onclick: () => set({counters: !timelineShown.counters})}, "counters"),
			timeline.left_out > 0 && element("span.muted", null, `${numberText(timeline.left_out)} later events are not on this page`)),
		drawn.legend(), drawn.frame,
		table({caption: "Summary of the events shown", rows: timelineSums(lanes), columns: [
			{title: "event", of: (row) => row.name},
			{title: "count", number: true, of: (row) => row.count},
			{title: "cycles", number: true, of: (row) => row.cycles},
			{title: "mean", number: true, of: (row) => row.cycles / row.count},
			{title: "longest", number: true, of: (row) => row.longest},
		]}),
		timelineShown.counters && counters.length > 0 && table({caption: "Counters of the whole machine", rows: counters, columns: [
			{title: "counter", of: (row) => row.name},
			{title: "unit", of: (row) => row.unit},
			{title: "mean", number: true, of: stepsMean},
			{title: "largest", number: true, of: (row) => row.most},
		]}),
	];
}
