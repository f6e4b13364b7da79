// When launches and copies ran: a lane for each stream. Only of runs with several streams, with launches that ran
// together, or with copies that took time.

const MOST_LANES = 48, OTHER_KERNELS = "other kernels", MOST_COLORED = SERIES - 1;
const streamsShown = {first: 0};

const streamName = (stream) => `stream ${stream}${stream === 0 ? " (legacy)" : ""}`;

// The kernels with a color of their own: those with the most cycles.
function coloredKernels(events, most) {
	const cycles = new Map();
	for (const {kernel, begin, end} of events)
		cycles.set(kernel, (cycles.get(kernel) ?? 0) + end - begin);
	return new Set([...cycles.keys()].sort((one, other) => cycles.get(other) - cycles.get(one)).slice(0, most));
}

function readCopies(run) {
	const {stream, to, bytes, started, cycles} = run.data.copies ?? {stream: []};
	return stream.map((number, i) => ({stream: number, bytes: bytes[i], name: `copies to the ${to[i]}`, begin: started[i], works: started[i], end: started[i] + cycles[i]}));
}

const launchesOf = (events) => events.filter(({launch}) => launch);

// The launches in their order, and the copies; each launch with the cycles in which it begins, works (has a first block) and ends.
function readStreams(run) {
	const {row, launch, stream, session, started, first_block: first, cycles, grid, block, warp_instructions: instructions = [], launched_by: parent = []} = run.data.streams ?? {row: []};
	const events = row.map((at, i) => {
		const begin = started[i], end = begin + cycles[i];
		return {launch: launch[i], parent: parent[i], stream: stream[i], session: session[i], grid: grid[i], block: block[i], instructions: instructions[i] ?? NaN,
			kernel: DATA.kernels[run.launches[at][FACT.kernel]][1],
			begin, end, works: first[i] < begin ? end : Math.min(end, first[i])}; // a launch that was cut off may have no block
	});
	const copies = readCopies(run), colored = coloredKernels(events, MOST_COLORED - new Set(copies.map(({name}) => name)).size);
	return [...events.map((event) => ({...event, name: colored.has(event.kernel) ? event.kernel : OTHER_KERNELS})), ...copies];
}

const streamEvents = (run) => (run.streamEvents ??= readStreams(run));

function streamLanes(events) {
	const lanes = new Map();
	for (const event of events) {
		if (!lanes.has(event.stream))
			lanes.set(event.stream, {stream: event.stream, label: streamName(event.stream), events: []});
		lanes.get(event.stream).events.push(event);
	}
	return [...lanes.values()].sort((one, other) => one.stream - other.stream);
}

// A stream's launches overlap if kernels launched them. The stream then has several lanes, and each launch is drawn in
// the first one that is free.
function drawnLanes(lane) {
	const lanes = [];
	for (const event of [...lane.events].sort((one, other) => one.begin - other.begin)) {
		let free = lanes.find(({events}) => events.at(-1).end <= event.begin);
		if (!free)
			lanes.push(free = {...lane, label: lanes.length ? "" : lane.label, events: []});
		free.events.push(event);
	}
	return lanes;
}

// The streams of each of the run's rows of launches, in ascending order.
function streamsByRow(run) {
	const {row = [], stream = []} = run.data.streams ?? {}, streams = new Map();
	row.forEach((at, i) => streams.set(at, (streams.get(at) ?? new Set()).add(stream[i])));
	return streams;
}

const firstBegin = (events) => events.reduce((least, {begin}) => Math.min(least, begin), Infinity);

// The numbers, as short as a table needs them.
const rangesCell = (numbers, most) => element("span", {title: rangesText(numbers)}, shortened(rangesText(numbers), most));
const streamsCell = (numbers) => (numbers.length > 3 && rangesText(numbers).length > 12
	? element("span", {title: rangesText(numbers)}, `${numberText(numbers.length)} streams`) : rangesText(numbers));

const streamsOf = (group, streams) => [...new Set(group.indexes.flatMap((i) => [...streams.get(i) ?? []]))].sort((one, other) => one - other);

// The launches of a session, or of all sessions where these are summed.
function sessionMembers(run, group) {
	const number = Number(group.name.split(" ")[1]);
	return streamEvents(run).filter(({session}) => (number ? session === number : session));
}

// The most launches that ran at the same time.
function mostTogether(events) {
	const steps = events.flatMap(({begin, end}) => [[begin, 1], [end, -1]]).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
	let now = 0, most = 0;
	for (const [, step] of steps)
		most = Math.max(most, now += step);
	return most;
}

class StreamLanes extends Timeline {
	// `events` are those of all lanes, also of those not shown: colors stay the same.
	constructor(lanes, events, end) {
		super([], lanes, end, OTHER_KERNELS);
		this.names = [...new Set(events.map(({name}) => name))].sort((one, other) => (one === OTHER_KERNELS) - (other === OTHER_KERNELS));
	}

	legend() {
		const waits = this.lanes.some((lane) => lane.events.some((event) => event.works > event.begin));
		return element("div", null, legendBox(this.names.map((name) => [this.color(name), element("span", {title: name}, shortKernel(name, 60))])),
			waits && element("p.muted", null, "The faint part of a bar lasts until the launch's first block runs."));
	}

	eventText({launch, parent, name, bytes, kernel, begin, works, end, grid, block, session}) {
		const times = `${numberText(begin)} to ${numberText(end)}, ${plural(end - begin, "cycle")}`;
		if (!launch)
			return [name, times, plural(bytes, "byte")].join("\n");
		return [`launch ${launch}: ${shortened(kernel, 200)}`, times,
			works > begin && `${plural(works - begin, "cycle")} until its first block`,
			`grid ${dims(grid)}, block ${dims(block)}`, parent && `launched by launch ${parent}`, session && `session ${session}`].filter((line) => line).join("\n");
	}
}

function streamsTable(lanes) {
	const sum = (of) => ({events}) => combine(launchesOf(events).map(of));
	const copies = (events) => events.filter(({launch}) => !launch), hasCopies = lanes.some(({events}) => copies(events).length);
	return table({caption: hasCopies ? "Launches and copies of each stream" : "Launches of each stream", rows: lanes, columns: [
		{title: "stream", of: (lane) => lane.stream, cell: (lane) => lane.label},
		{title: "launches", number: true, of: (lane) => launchesOf(lane.events).length},
		{title: "first begins", number: true, of: (lane) => firstBegin(lane.events), hint: "core cycle of the run"},
		{title: "last ends", number: true, of: (lane) => lane.events.reduce((most, {end}) => Math.max(most, end), 0), hint: "core cycle of the run"},
		{title: "cycles", number: true, of: sum(({begin, end}) => end - begin), hint: "sum over its launches"},
		{title: "warp instructions", number: true, of: sum(({instructions}) => instructions), hint: "sum over its launches"},
		{title: "before first blocks", number: true, of: sum(({begin, works}) => works - begin), hint: "cycles from the beginning of a launch until its first block"},
		hasCopies && {title: "copies", number: true, of: ({events}) => copies(events).length},
		hasCopies && {title: "bytes copied", number: true, of: ({events}) => combine(copies(events).map(({bytes}) => bytes))},
		hasCopies && {title: "cycles of copies", number: true, of: ({events}) => combine(copies(events).map(({begin, end}) => end - begin))},
	].filter((column) => column)});
}

// A choice of lanes, where one picture would be too high.
function lanesChoice(lanes) {
	const starts = lanes.flatMap((_, i) => (i % MOST_LANES === 0 ? [i] : []));
	const text = (start) => `${lanes[start].stream} to ${lanes[Math.min(lanes.length, start + MOST_LANES) - 1].stream}`;
	return lanes.length > MOST_LANES && select("streams", starts.map((start) => [String(start), text(start)]), String(streamsShown.first), (value) => {
		streamsShown.first = Number(value);
		render("streams");
	});
}

function streamsSection(run) {
	const events = streamEvents(run), launches = launchesOf(events), lanes = streamLanes(events), end = events.reduce((most, event) => Math.max(most, event.end), 1);
	const all = lanes.flatMap(drawnLanes);
	if (streamsShown.first >= all.length)
		streamsShown.first = 0;
	const drawn = new StreamLanes(all.slice(streamsShown.first, streamsShown.first + MOST_LANES), events, end);
	return [
		element("p", null, `${numberText(launches.length)} launches in ${plural(lanes.length, "stream")}; at most ${numberText(mostTogether(launches))} ran at the same time.`),
		element("div.tools", null, lanesChoice(all), zoomButtons(drawn)),
		drawn.legend(), drawn.frame, streamsTable(lanes),
	];
}
