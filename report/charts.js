// Charts, in the colors of the page.

const charts = new Set();
const undrawn = []; // functions that draw once their element is in the page

function drawCharts() {
	for (const draw of undrawn.splice(0))
		draw();
}

function dropCharts() {
	for (const chart of charts)
		chart.destroy();
	charts.clear();
}

const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The pen of a canvas in the size that it is shown in, at the screen's resolution; undefined while it is hidden.
function penOf(canvas) {
	const scale = window.devicePixelRatio || 1;
	if (!canvas.clientWidth)
		return undefined;
	canvas.width = canvas.clientWidth * scale;
	canvas.height = canvas.clientHeight * scale;
	const pen = canvas.getContext("2d");
	pen.scale(scale, scale);
	pen.font = "11px system-ui, sans-serif";
	return pen;
}
const levelColor = (level) => cssColor(`--level-${level in LEVELS ? level : "other"}`);
const SERIES = 14; // colors in style.css
const seriesColor = (number) => cssColor(`--series-${number % SERIES}`);

const stripes = (levels) => levels.map((level) => ({label: levelName(level), backgroundColor: levelColor(level)}));

function axis(title, more = {}) {
	return {
		title: {display: Boolean(title), text: title, color: cssColor("--muted")},
		grid: {color: cssColor("--line"), borderColor: cssColor("--line")},
		...more,
		ticks: {color: cssColor("--muted"), ...more.ticks},
	};
}

// A chart with a text alternative for those who cannot see it. `height` in pixels.
function chart(words, height, config) {
	const canvas = element("canvas", {role: "img", "aria-label": words});
	const frame = element("div.chart", {style: `height: ${height}px`}, canvas);
	const options = {
		animation: false,
		maintainAspectRatio: false,
		responsive: true,
		font: {family: "system-ui, sans-serif"},
		...config.options,
		plugins: {
			legend: {
				position: "bottom",
				...config.options.plugins?.legend,
				labels: {color: cssColor("--text"), boxWidth: 12, boxHeight: 12, padding: 10},
			},
			tooltip: {animation: false, ...config.options.plugins?.tooltip},
		},
	};
	undrawn.push(() => charts.add(new Chart(canvas, {...config, options})));
	return frame;
}

// The levels that some stack has, in the order in which they are drawn.
const levelsIn = (stacks) => Object.keys(LEVELS).concat(...stacks.map((stack) => Object.keys(stack)))
	.filter((level, at, all) => all.indexOf(level) === at && stacks.some((stack) => stack[level] > 0));

// Cycle stacks as horizontal bars, one per row: rows of {label, stack}; `mode`: "share" of slots or "cycles".
function stackBars(words, rows, mode) {
	const share = mode === "share";
	const levels = levelsIn(rows.map((row) => row.stack));
	const sums = rows.map((row) => combine(Object.values(row.stack)));
	const longest = Math.max(...rows.map((row) => row.label.length));
	const legend = combine(levels.map((level) => 36 + 7 * levelName(level).length)); // its width; it takes more lines in a narrow window
	return chart(words, 68 + 22 * Math.ceil(legend / Math.max(200, Math.min(1300, innerWidth - 60))) + 24 * rows.length, {
		type: "bar",
		data: {
			labels: rows.map((row) => shortened(row.label, 44)),
			datasets: stripes(levels).map((stripe, at) => ({
				...stripe,
				data: rows.map((row, i) => (row.stack[levels[at]] ?? 0) * (share ? 100 / (sums[i] || 1) : 1)),
				barPercentage: 0.85,
				categoryPercentage: 0.95,
				maxBarThickness: 26,
			})),
		},
		options: {
			indexAxis: "y",
			scales: {
				x: axis(share ? "% of the schedulers' slots" : "cycles", {stacked: true, min: 0, max: share ? 100 : undefined,
					position: rows.length > 20 ? "top" : "bottom", ticks: {callback: (value) => shortText(value)}}),
				y: axis("", {stacked: true, grid: {display: false}, ticks: {autoSkip: false, font: {size: longest > 32 ? 10 : 12}}}),
			},
			plugins: {
				legend: {position: "top", align: "start"},
				tooltip: {
					callbacks: {
						label: (item) => `${item.dataset.label}: ${share ? item.raw.toFixed(1) + " %" : numberText(Math.round(item.raw))}`,
					},
				},
			},
		},
	});
}

// Steps from one number to another: rows of {label, change, level}.
function waterfall(words, from, to, rows, names) {
	let at = from;
	const bars = [{label: names[0], range: [0, from], color: cssColor("--mark-a")}];
	for (const row of rows) {
		bars.push({label: row.label, range: [at, at + row.change], color: levelColor(row.level), change: row.change});
		at += row.change;
	}
	bars.push({label: names[1], range: [0, to], color: cssColor("--mark-b")});
	const inner = bars.slice(1, -1).flatMap((bar) => bar.range);
	const least = Math.min(from, to, ...inner), most = Math.max(from, to, ...inner);
	// If all steps are small compared with the total, the axis begins above zero and says so.
	const unit = 10 ** Math.floor(Math.log10(most - least || 1));
	const cut = least > 2 * (most - least) ? Math.max(0, Math.floor((least - 0.6 * (most - least)) / unit) * unit) : 0;
	return chart(words, 70 + 26 * bars.length, {
		type: "bar",
		data: {
			labels: bars.map((bar) => bar.label),
			datasets: [{data: bars.map((bar) => bar.range), backgroundColor: bars.map((bar) => bar.color), barPercentage: 0.8,
				categoryPercentage: 1, minBarLength: 2}],
		},
		options: {
			indexAxis: "y",
			scales: {
				x: axis(cut ? "cycles; the axis does not begin at 0" : "cycles", {min: cut, ticks: {
					maxTicksLimit: innerWidth < 560 ? 4 : 11, callback: (value) => (cut ? numberText : shortText)(value)}}),
				y: axis("", {grid: {display: false}, ticks: {autoSkip: false}}),
			},
			plugins: {
				legend: {display: false},
				tooltip: {callbacks: {label: (item) => {
					const bar = bars[item.dataIndex];
					return bar.change === undefined ? numberText(bar.range[1]) + " cycles" : signedText(Math.round(bar.change)) + " cycles";
				}}},
			},
		},
	});
}

// The axis of numbers below lines; with ticks at the numbers `at`; it may be logarithmic.
function numberAxis(title, {from, to, at, logarithmic}) {
	const ticks = {callback: (value) => shortText(value)};
	if (!at?.length)
		return axis(title, {type: "linear", min: from, max: to, ticks});
	const [low, high] = [at[0], at.at(-1)], room = logarithmic ? (high / low) ** 0.04 : 0.04 * (high - low) || 0.5;
	return axis(title, {type: logarithmic ? "logarithmic" : "linear", min: logarithmic ? low / room : low - room, max: logarithmic ? high * room : high + room,
		afterBuildTicks: (scale) => {
			scale.ticks = at.map((value) => ({value}));
		}, ticks: {...ticks, callback: (value) => String(value), autoSkip: true, maxRotation: 0}});
}

// Lines of {label, points: [{x, y}], color, marks: points without a line} over numbers.
function lineChart(words, height, lines, x, y, more = {}) {
	return chart(words, height, {
		type: "line",
		data: {
			datasets: lines.map((line, i) => ({
				label: line.label,
				data: line.points,
				borderColor: line.marks ? cssColor("--text") : line.color ?? seriesColor(i),
				backgroundColor: line.marks ? "transparent" : line.color ?? seriesColor(i),
				borderWidth: more.stacked ? 0 : 1.5,
				showLine: !line.marks,
				pointStyle: line.marks ? "rectRot" : "circle",
				pointBackgroundColor: line.marks ? "transparent" : undefined,
				fill: more.stacked ? (i ? "-1" : "origin") : false,
				stepped: more.stepped ? "after" : false,
				pointRadius: line.marks ? 5 : more.points ? 3 : 0,
				pointHitRadius: 6,
			})),
		},
		options: {
			parsing: false,
			normalized: true,
			interaction: {mode: "nearest", axis: "x", intersect: false},
			scales: {
				x: numberAxis(x, more),
				y: axis(y, {stacked: more.stacked, ...(more.below ? {beginAtZero: true, suggestedMin: more.least, suggestedMax: more.most} : {min: 0, max: more.most}),
					ticks: {callback: (value) => shortText(value)}}),
			},
			plugins: {
				legend: {display: lines.length > 1 && more.legend !== false},
				tooltip: {callbacks: {
					title: (items) => (items.length ? `${x} ${numberText(items[0].raw.x)}` : ""),
					label: (item) => `${item.dataset.label}: ${numberText(item.raw.y)}`,
				}},
			},
		},
	});
}

// Draws reference values on bars: a line across each bar at its value.
const marks = {
	id: "marks",
	afterDatasetsDraw(drawn) {
		const pen = drawn.ctx;
		drawn.data.datasets.forEach((dataset, i) => drawn.isDatasetVisible(i) && dataset.marks?.forEach((value, at) => {
			const bar = drawn.getDatasetMeta(i).data[at];
			if (!isNumber(value) || !bar)
				return;
			const y = drawn.scales.y.getPixelForValue(value), half = Math.max(3, bar.width / 2 + 1);
			pen.fillStyle = cssColor("--panel");
			pen.fillRect(bar.x - half, y - 2, 2 * half, 4);
			pen.fillStyle = cssColor("--text");
			pen.fillRect(bar.x - half, y - 1, 2 * half, 2);
		}));
	},
};

// Grouped bars: `groups` along the axis, one series each of {label, values, marks}; or lines over the groups' names.
function groupChart(words, type, groups, series, y, height = 420, stacked = false) {
	const others = series.flatMap((one) => one.marks ?? []).filter(isNumber);
	return chart(words, height, {
		type: type === "lines" ? "line" : "bar",
		data: {
			labels: groups,
			datasets: series.map((one, i) => ({
				label: one.label,
				data: one.values.map((value) => (isNumber(value) ? value : null)),
				marks: one.marks,
				backgroundColor: seriesColor(i),
				borderColor: seriesColor(i),
				borderWidth: type === "lines" ? 2 : 0,
				pointRadius: 3,
				maxBarThickness: 48,
			})),
		},
		plugins: [marks],
		options: {
			interaction: {mode: "index", intersect: false},
			scales: {
				x: axis("", {stacked, grid: {display: false}, ticks: {maxRotation: 60, autoSkip: groups.length > 80}}),
				y: axis(y, {stacked, beginAtZero: true, suggestedMin: Math.min(0, ...others), suggestedMax: Math.max(0, ...others), ticks: {callback: (value) => shortText(value)}}),
			},
			plugins: {
				legend: {display: series.length > 1 || series[0]?.label !== ""},
				tooltip: {callbacks: {label: (item) => `${item.dataset.label || y}: ${numberText(item.raw)}`}},
			},
		},
	});
}
