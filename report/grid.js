// The table of runs. Only visible rows are in the page, so that thousands of runs stay fast.

const ROW_HEIGHT = 27, MARGIN_ROWS = 8;

class Grid {
	// `columns` as in table.js, with `width` in pixels. Unknown keys are passed to onKey(key, row).
	constructor({label, onOpen, onKey, onSort, rowClass}) {
		Object.assign(this, {onOpen, onKey, onSort, rowClass, columns: [], rows: [], sort: null, cursor: 0, drawn: new Map()});
		this.head = element("div.head", {role: "row"});
		this.body = element("div.body", {role: "rowgroup"});
		this.frame = element("div.grid", {role: "grid", tabindex: "0", "aria-label": label, "aria-multiselectable": "true",
			onkeydown: (event) => this.key(event), onscroll: () => this.draw(),
			onclick: (event) => this.click(event), ondblclick: (event) => this.open(event)}, this.head, this.body);
		new ResizeObserver(() => this.draw()).observe(this.frame);
	}

	show(columns, rows, sort) {
		const kept = this.rows[this.cursor];
		this.columns = columns;
		this.rows = rows;
		this.sort = sort;
		this.cursor = Math.max(0, rows.indexOf(kept));
		const widths = columns.map((column) => `${column.width}px`).join(" ");
		const width = columns.reduce((sum, column) => sum + column.width, 0);
		this.frame.style.setProperty("--columns", widths);
		this.frame.style.setProperty("--width", `${width}px`);
		this.frame.setAttribute("aria-rowcount", rows.length + 1);
		replaceChildren(this.head, columns.map((column) => column.plain
			? element("span", {role: "columnheader", title: column.hint}, column.title)
			: heading("span", column, sort, this.onSort)));
		this.body.style.height = `${rows.length * ROW_HEIGHT}px`;
		this.draw(true);
	}

	row(i) {
		const row = this.rows[i];
		return element("div.row", {
			role: "row", id: `row-${i}`, "aria-rowindex": i + 2, "aria-selected": String(i === this.cursor), "data-row": i,
			class: ["row", i === this.cursor ? "cursor" : "", i % 2 ? "odd" : "", this.rowClass(row)].join(" "),
			style: `transform: translateY(${i * ROW_HEIGHT}px)`,
		}, this.columns.map((column) => {
			const content = column.cell ? column.cell(row) : column.number ? numberText(column.of(row)) : column.of(row) ?? "";
			return element(column.number ? "span.number" : "span",
				{role: "gridcell", title: typeof content === "string" && content.length > 14 ? content : null}, content);
		}));
	}

	// Draws the visible rows; with `anew` false, keeps those that already exist.
	draw(anew = false) {
		const first = Math.max(0, Math.floor(this.frame.scrollTop / ROW_HEIGHT) - MARGIN_ROWS);
		const last = Math.min(this.rows.length, Math.ceil((this.frame.scrollTop + this.frame.clientHeight) / ROW_HEIGHT) + MARGIN_ROWS);
		const kept = anew ? new Map() : this.drawn;
		this.drawn = new Map();
		for (let i = this.printed ? 0 : first; i < (this.printed ?? last); i++)
			this.drawn.set(i, kept.get(i) ?? this.row(i));
		for (const [i, row] of kept)
			if (!this.drawn.has(i))
				row.remove();
		if (anew)
			this.body.replaceChildren(...this.drawn.values());
		else
			this.body.append(...[...this.drawn].filter(([i]) => !kept.has(i)).map(([, row]) => row));
		if (this.rows.length)
			this.frame.setAttribute("aria-activedescendant", `row-${this.cursor}`);
	}

	// Marks the row that keys act on.
	markCursor(on) {
		const row = this.drawn.get(this.cursor);
		row?.classList.toggle("cursor", on);
		row?.setAttribute("aria-selected", String(on));
	}

	// A printed page has no scroll bar, so it needs all rows.
	print(on) {
		this.printed = on ? Math.min(this.rows.length, 1000) : undefined;
		this.draw();
	}

	go(to) {
		if (!this.rows.length)
			return;
		this.markCursor(false);
		this.cursor = Math.min(this.rows.length - 1, Math.max(0, to));
		const top = this.cursor * ROW_HEIGHT, room = this.frame.clientHeight - this.head.offsetHeight - ROW_HEIGHT;
		if (top < this.frame.scrollTop)
			this.frame.scrollTop = top;
		else if (top > this.frame.scrollTop + room)
			this.frame.scrollTop = top - room;
		this.draw();
		this.markCursor(true);
	}

	key(event) {
		if (event.target !== this.frame || event.ctrlKey || event.altKey || event.metaKey)
			return;
		const page = Math.max(1, Math.floor(this.frame.clientHeight / ROW_HEIGHT) - 2);
		const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
		if (event.key in steps)
			this.go(this.cursor + steps[event.key]);
		else if (!this.rows.length)
			return;
		else if (event.key === "Enter")
			this.onOpen(this.rows[this.cursor]);
		else if (!this.onKey(event.key, this.rows[this.cursor]))
			return;
		event.preventDefault();
	}

	rowAt(event) {
		const row = event.target.closest("[data-row]");
		return row ? Number(row.dataset.row) : -1;
	}

	click(event) {
		const row = this.rowAt(event);
		if (row < 0 || event.target.closest("a, button, input"))
			return;
		this.frame.focus();
		this.go(row);
	}

	open(event) {
		const row = this.rowAt(event);
		if (row >= 0 && !event.target.closest("a, button, input"))
			this.onOpen(this.rows[row]);
	}
}
