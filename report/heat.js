// A heat map of units over time, from the samples' columns by unit (docs/how-to/units.md): a row for each SM, its warp
// instructions per cycle as color. Drawn on a canvas, because there may be several hundred thousand fields.

const HEAT_COUNTER = /^sm\.warp_instructions\[(\d+)\]$/;
const HEAT_LEFT = 58, HEAT_TOP = 6, HEAT_BOTTOM = 40, HEAT_RIGHT = 108, HEAT_BAR = 14;
// From none to most, equally spaced; also readable without colors, because the lightness rises steadily.
const HEAT_COLORS = [[22, 11, 57], [66, 10, 104], [120, 28, 109], [173, 48, 85], [217, 79, 51], [246, 135, 14], [250, 193, 41], [252, 255, 164]];

function heatColor(share) {
	const at = Math.min(1, Math.max(0, share)) * (HEAT_COLORS.length - 1), first = Math.min(HEAT_COLORS.length - 2, Math.floor(at));
	return HEAT_COLORS[first].map((part, i) => Math.round(part + (HEAT_COLORS[first + 1][i] - part) * (at - first)));
}

// About `most` round numbers from `from` to `to`.
function roundSteps(from, to, most) {
	const raw = (to - from) / most, unit = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].find((each) => each * unit >= raw) * unit, steps = [];
	for (let value = Math.ceil(from / step) * step; value <= to + step / 1e6; value += step)
		steps.push(value);
	return steps;
}

class HeatMap {
	// `rows` of the samples with cycles; `columns` are the names of the SMs' columns, in the order of SMs.
	constructor(rows, columns, {from, to}) {
		Object.assign(this, {rows, columns, from, to});
		this.most = 0;
		for (const row of rows)
			for (const name of columns)
				this.most = Math.max(this.most, row.value(name) / row.cycles);
		this.rowHeight = Math.max(3, Math.min(14, Math.floor(420 / columns.length)));
		this.height = this.rowHeight * columns.length;
		this.canvas = element("canvas", {role: "img", "aria-label": this.words(), onmousemove: (event) => this.move(event),
			onmouseleave: () => (this.note.hidden = true)});
		this.note = element("div.tip", {hidden: true});
		this.frame = element("div.heat", {style: `height: ${HEAT_TOP + this.height + HEAT_BOTTOM}px`}, this.canvas, this.note);
		undrawn.push(() => {
			this.draw();
			new ResizeObserver(() => this.draw()).observe(this.frame);
		});
	}

	// The spread over SMs, for those who cannot see the colors.
	spread() {
		const sums = this.columns.map((name) => combine(this.rows.map((row) => row.value(name))));
		const mean = combine(sums) / sums.length;
		return {least: Math.min(...sums), most: Math.max(...sums), mean};
	}

	words() {
		const {least, most, mean} = this.spread();
		return `Warp instructions of ${plural(this.columns.length, "SM")} in these samples: minimum ${numberText(least)}, ` +
			`mean ${numberText(Math.round(mean))}, maximum ${numberText(most)}` + (mean ? `, maximum / mean ${(most / mean).toFixed(2)}` : "");
	}

	get width() {
		return Math.max(1, this.canvas.clientWidth - HEAT_LEFT - HEAT_RIGHT);
	}

	// The mean rates of the samples behind each pixel, SM by SM; NaN where there is no sample.
	rates(pixels) {
		const scale = pixels / (this.to - this.from), cycles = new Float64Array(pixels);
		const sums = this.columns.map(() => new Float64Array(pixels));
		for (const row of this.rows) {
			const begin = (row.x - row.cycles - this.from) * scale, end = (row.x - this.from) * scale;
			for (let at = Math.max(0, Math.floor(begin)); at < Math.min(pixels, end); at++) {
				const part = Math.min(end, at + 1) - Math.max(begin, at);
				cycles[at] += part;
				this.columns.forEach((name, sm) => (sums[sm][at] += part * row.value(name) / row.cycles));
			}
		}
		return sums.map((sum) => sum.map((value, at) => (cycles[at] > 1e-9 ? value / cycles[at] : NaN)));
	}

	draw() {
		const pen = penOf(this.canvas);
		if (!pen)
			return;
		this.drawFields(pen, Math.max(1, Math.round(this.width * (window.devicePixelRatio || 1))));
		this.drawAxes(pen);
		this.drawScale(pen);
	}

	drawFields(pen, pixels) {
		const image = new ImageData(pixels, this.columns.length), made = element("canvas", {width: String(pixels), height: String(this.columns.length)});
		this.rates(pixels).forEach((rates, sm) => rates.forEach((rate, at) => {
			if (!Number.isNaN(rate))
				image.data.set([...heatColor(this.most ? rate / this.most : 0), 255], 4 * (sm * pixels + at));
		}));
		made.getContext("2d").putImageData(image, 0, 0);
		pen.imageSmoothingEnabled = false;
		pen.drawImage(made, HEAT_LEFT, HEAT_TOP, this.width, this.height);
	}

	drawAxes(pen) {
		const bottom = HEAT_TOP + this.height, count = this.columns.length;
		const every = [1, 2, 4, 5, 8, 10, 16, 20, 32].find((step) => step * this.rowHeight >= 13) ?? 32;
		pen.fillStyle = cssColor("--muted");
		pen.textAlign = "right";
		pen.textBaseline = "middle";
		for (let sm = 0; sm < count; sm += every)
			pen.fillText(String(sm), HEAT_LEFT - 6, HEAT_TOP + (sm + 0.5) * this.rowHeight);
		pen.textAlign = "center";
		pen.textBaseline = "top";
		for (const cycle of roundSteps(this.from, this.to, Math.max(2, this.width / 110))) {
			const x = HEAT_LEFT + (cycle - this.from) * this.width / (this.to - this.from);
			pen.fillRect(x, bottom, 1, 4);
			pen.fillText(shortText(cycle), x, bottom + 7);
		}
		pen.font = "12px system-ui, sans-serif";
		pen.fillText("cycle", HEAT_LEFT + this.width / 2, bottom + 23);
		pen.save();
		pen.translate(12, HEAT_TOP + this.height / 2);
		pen.rotate(-Math.PI / 2);
		pen.textBaseline = "middle";
		pen.fillText("SM", 0, 0);
		pen.restore();
	}

	// The legend: the color of each rate, with its unit.
	drawScale(pen) {
		const x = HEAT_LEFT + this.width + 18;
		for (let y = 0; y < this.height; y++) {
			pen.fillStyle = `rgb(${heatColor(1 - y / Math.max(1, this.height - 1)).join(" ")})`;
			pen.fillRect(x, HEAT_TOP + y, HEAT_BAR, 1);
		}
		pen.fillStyle = cssColor("--muted");
		pen.font = "11px system-ui, sans-serif";
		pen.textAlign = "left";
		pen.textBaseline = "middle";
		const steps = this.most ? roundSteps(0, this.most, Math.max(1, Math.min(5, this.height / 24))) : [0];
		for (const value of steps) {
			const y = HEAT_TOP + this.height * (1 - (this.most ? value / this.most : 0));
			pen.fillRect(x + HEAT_BAR, Math.min(y, HEAT_TOP + this.height - 1), 4, 1);
			pen.fillText(String(Number(value.toPrecision(3))), x + HEAT_BAR + 8, y);
		}
		pen.save();
		pen.translate(x + HEAT_BAR + 48, HEAT_TOP + this.height / 2);
		pen.rotate(-Math.PI / 2);
		pen.textAlign = "center";
		pen.font = "12px system-ui, sans-serif";
		pen.fillText(this.height > 170 ? "warp instructions per cycle" : "warp instr. / cycle", 0, 0);
		pen.restore();
	}

	move(event) {
		const sm = Math.floor((event.offsetY - HEAT_TOP) / this.rowHeight);
		const cycle = this.from + (event.offsetX - HEAT_LEFT) * (this.to - this.from) / this.width;
		const row = this.rows.find((each) => cycle <= each.x && cycle > each.x - each.cycles);
		this.note.hidden = !row || sm < 0 || sm >= this.columns.length;
		if (this.note.hidden)
			return;
		this.note.textContent = `SM ${sm}, ${numberText(row.cycles)} cycles to ${numberText(row.x)}: ` +
			`${numberText(row.value(this.columns[sm]) / row.cycles)} warp instructions per cycle`;
		this.note.style.left = `${Math.min(event.offsetX + 12, this.canvas.clientWidth - 260)}px`;
		this.note.style.top = `${event.offsetY + 14}px`;
	}
}

// The figure, if the samples have columns by SM.
function heatMap(rows, names, span) {
	const columns = names.filter((name) => HEAT_COUNTER.test(name)).sort((one, other) => compare(one, other));
	const timed = rows.filter((row) => row.cycles > 0);
	if (!columns.length || !timed.length)
		return false;
	const map = new HeatMap(timed, columns, span);
	return element("figure", null, element("figcaption", null, "SMs over time: warp instructions per cycle of each SM"), map.frame,
		element("p.muted", null, `${map.words()}.`));
}
