// Ordinary tables, sorted by clicking a heading.

const FEW_ROWS = 400;

// A column: {title, of(row): sort key, cell(row): text or element, number: right-aligned, mixed: numbers of several
// units, wide: may wrap, code: must not wrap, hint}. `text` writes the numbers of a column.
function cellOf(column, row, text) {
	const content = column.cell ? column.cell(row) : column.number ? text(column.of(row)) : column.of(row) ?? "";
	return element(column.number ? "td.number" : column.wide ? "td.wide" : column.code ? "td.code" : "td", {style: column.style?.(row)}, content);
}

function sorted(rows, sort) {
	if (!sort)
		return rows;
	const {of} = sort.column, sign = sort.down ? -1 : 1;
	const unknown = (value) => value === undefined || value === null || value === "" || Number.isNaN(value);
	return [...rows].sort((one, other) => {
		const a = of(one), b = of(other);
		return unknown(a) || unknown(b) ? unknown(a) - unknown(b) : sign * compare(a, b);
	});
}

// A heading that sorts: numbers in descending order first, texts in ascending order.
function heading(tag, column, sort, choose) {
	const chosen = sort?.column === column;
	const made = element(column.number ? `${tag}.number` : tag, {
		title: column.hint, scope: tag === "th" ? "col" : null, role: tag === "th" ? null : "columnheader",
		"aria-sort": chosen ? (sort.down ? "descending" : "ascending") : "none",
	});
	made.append(element("button", {
		onclick: () => choose({column, down: chosen ? !sort.down : Boolean(column.number)}),
	}, column.title));
	return made;
}

// {columns, rows, sort: {column, down}, caption, filter: the text of a row that the filter field searches}
function table({columns, rows, sort = null, caption = "", filter = null}) {
	const frame = element("div.table"), body = element("div.scroll", {tabindex: "0"});
	const texts = columns.map((column) => (column.number && !column.cell && !column.mixed ? columnText(rows.map(column.of)) : numberText));
	let words = "", all = false;

	function shown() {
		const wanted = words.toLowerCase().split(/\s+/).filter((word) => word);
		return filter ? rows.filter((row) => wanted.every((word) => filter(row).toLowerCase().includes(word))) : rows;
	}

	function draw() {
		const list = sorted(shown(), sort), part = all ? list : list.slice(0, FEW_ROWS);
		replaceChildren(body, element("table", null,
			caption && element("caption", null, caption),
			element("thead", null, element("tr", null, columns.map((column) => heading("th", column, sort, (chosen) => {
				sort = chosen;
				draw();
			})))),
			element("tbody", null, part.map((row) => element("tr", {class: row.class}, columns.map((column, i) => cellOf(column, row, texts[i])))))),
		list.length === 0 && element("p.muted", null, "nothing"),
		part.length < list.length && element("button", {onclick: () => {
			all = true;
			draw();
		}}, `show all ${numberText(list.length)}`));
	}

	if (filter && rows.length > 8)
		frame.append(element("input", {type: "search", placeholder: "filter", "aria-label": `filter ${caption || "the table"}`,
			oninput: (event) => {
				words = event.target.value;
				draw();
			}}));
	frame.append(body);
	draw();
	return frame;
}

// Name-value pairs: [[name, value], ...]; empty values are omitted.
function facts(pairs) {
	return element("dl.facts", null, pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
		.map(([name, value]) => element("div", null, element("dt", null, name), element("dd", null, value))));
}
