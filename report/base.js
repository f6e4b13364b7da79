// Helpers for all views: elements, numbers as text.

const $ = (id) => document.getElementById(id);

// Creates an element: element("a.small", {href: "#runs", onclick: f}, "text", child, [children]). Texts are inserted as
// text, never as HTML.
function element(kind, attributes, ...children) {
	const [tag, ...classes] = kind.split(".");
	const made = document.createElement(tag || "div");
	if (classes.length)
		made.className = classes.join(" ");
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (typeof value === "function")
			made[name] = value;
		else
			made.setAttribute(name, value === true ? "" : value);
	}
	made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return made;
}

function replaceChildren(parent, ...children) {
	parent.replaceChildren(...children.flat(Infinity).filter((child) => child));
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const wholeFormat = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

// "1,234,567", "12.34", "0.00123"; "-" for an unknown number.
function numberText(value) {
	if (!isNumber(value))
		return "-";
	if (Number.isInteger(value) || Math.abs(value) >= 1000)
		return wholeFormat.format(value);
	if (Math.abs(value) >= 100)
		return value.toFixed(1);
	if (Math.abs(value) >= 1)
		return value.toFixed(2);
	if (value === 0)
		return "0";
	return Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}

// Percentages and rates, with the same number of digits in all rows, so that the digits align.
const fixedText = (value, digits) => (!isNumber(value) ? "-" : Math.abs(value) >= 1000 ? wholeFormat.format(value) : value.toFixed(digits));

// How a column writes its numbers: all with the same number of digits, which its largest number needs.
function columnText(values) {
	const known = values.filter(isNumber), largest = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
	if (known.every(Number.isInteger) || largest < 0.001)
		return numberText;
	const digits = largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 1 ? 2 : largest >= 0.1 ? 3 : 4;
	return (value) => fixedText(value, digits);
}

// A long name without its middle: its beginning and its end tell names apart.
function shortened(text, most) {
	const half = Math.floor((most - 1) / 2);
	return text.length > most ? `${text.slice(0, most - 1 - half)}\u2026${text.slice(-half)}` : text;
}

// A legend of colors with their meanings: [[color, name]].
const legendBox = (pairs) => element("div.legend", null, pairs.map(([color, name]) => element("span", null,
	element("i", {style: `background: ${color}`}), name)));

// "1.2 M": for axes and narrow places.
function shortText(value) {
	if (!isNumber(value))
		return "-";
	for (const [least, name] of [[1e9, " G"], [1e6, " M"], [1e4, " k"]])
		if (Math.abs(value) >= least)
			return Number((value / (name === " k" ? 1e3 : least)).toPrecision(3)) + name;
	return numberText(value);
}

const percentText = (share, digits = 1) => (isNumber(share) ? (100 * share).toFixed(digits) + " %" : "-");

// "+12.3 %", "-4.0 %", "new", "gone", "0 %"
function changeText(from, to) {
	if (!isNumber(from) || !isNumber(to))
		return "-";
	if (from === to)
		return "0 %";
	if (from === 0)
		return "new";
	if (to === 0)
		return "gone";
	const ratio = to / from;
	if (ratio >= 10)
		return "x " + numberText(Number(ratio.toPrecision(3)));
	return (ratio >= 1 ? "+" : "") + (100 * (ratio - 1)).toFixed(1) + " %";
}

function signedText(value, text = numberText) {
	return (value > 0 ? "+" : "") + text(value);
}

// "1 to 3, 7" for ascending whole numbers.
function rangesText(numbers) {
	const ranges = [];
	for (const number of numbers)
		if (ranges.at(-1)?.to === number - 1)
			ranges.at(-1).to = number;
		else
			ranges.push({from: number, to: number});
	return ranges.map(({from, to}) => (from === to ? from : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`)).join(", ");
}

const plural = (count, name) => `${numberText(count)} ${name}${count === 1 ? "" : "s"}`;

// Numbers by size; texts in natural order: gtx2 before gtx10; unknown values last.
function compare(one, other) {
	const unknown = (value) => value === undefined || value === null || value === "" || Number.isNaN(value);
	if (unknown(one) || unknown(other))
		return unknown(one) - unknown(other);
	if (typeof one === "number" && typeof other === "number")
		return one - other;
	return String(one).localeCompare(String(other), "en", {numeric: true});
}

function download(name, text) {
	const url = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
	element("a", {href: url, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const csvField = (value) => (/[",\n\r]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
const csvText = (rows) => rows.map((row) => row.map(csvField).join(",") + "\n").join("");

// A choice among a few words, one of which is pressed.
function choice(label, words, chosen, choose) {
	return element("span.choice", {role: "group", "aria-label": label},
		words.map((word) => element("button", {
			"aria-pressed": String(word === chosen),
			onclick: () => choose(word),
		}, word)));
}

function select(label, options, chosen, choose) {
	const made = element("select", {"aria-label": label, onchange: (event) => choose(event.target.value)},
		options.map(([value, text]) => element("option", {value, selected: value === chosen}, text ?? value)));
	return element("label.field", null, element("span", null, label), made);
}
