// Selects the view; keys, light and dark theme, printing.

const VIEWS = {runs: runsView, stacks: stacksView, run: runView, difference: differenceView, figures: figuresView};
let current = {};

const place = () => location.hash.slice(1).split("/");

function go(hash) {
	if (location.hash === hash)
		render();
	else
		location.hash = hash;
}

// Redraws the view; with a section's id, keeps that section's scroll position.
function render(section) {
	const [name, ...words] = place(), known = VIEWS[name] ? name : "runs";
	const before = section && $(section)?.getBoundingClientRect().top;
	dropCharts();
	current = VIEWS[known]($("view"), ...words) ?? {};
	drawCharts();
	for (const link of document.querySelectorAll("header nav a"))
		if (link.dataset.view === known)
			link.setAttribute("aria-current", "page");
		else
			link.removeAttribute("aria-current");
	document.body.dataset.view = known;
	document.title = `${document.querySelector("main h2")?.textContent ?? "Runs"} - Sluice report`;
	if (isNumber(before))
		window.scrollBy(0, $(section).getBoundingClientRect().top - before);
	showChosen();
}

// The selection of runs has changed; redraws views other than the table.
function refresh() {
	if (current.draw)
		current.draw();
	else
		render();
}

// Shows the runs chosen as A and B in the bar.
function showChosen() {
	const chip = (letter, run) => run && element("span.chip", null, element(`b.letter.${letter.toLowerCase()}`, null, letter),
		element("a", {href: `#run/${run.number}`, title: run.title}, run.title),
		element("button", {"aria-label": `no ${letter}`, onclick: () => setMark(letter.toLowerCase(), run)}, "\u00d7"));
	const {a, b} = shown;
	replaceChildren($("chosen"), chip("A", a), chip("B", b), a && b && place()[0] !== "difference" &&
		element("button.strong", {id: "show-difference", onclick: () => go(`#difference/${a.number}/${b.number}`)}, "difference"));
}

function openDialog(title, ...content) {
	const dialog = $("dialog");
	replaceChildren(dialog, element("div.title", null, element("h2", null, title), element("button", {onclick: () => dialog.close()}, "close")), content);
	dialog.showModal();
}

const KEYS = [
	["/", "go to the filter"],
	["arrows, Page, Home, End", "move in the table"],
	["Enter", "open the run"],
	["space", "select the run for cycle stacks side by side"],
	["d", "choose run A; on another run choose B and show the difference"],
	["Esc", "close, go back to the runs, clear the filter, A and B"],
	["left, right, + and -, 0", "in a timeline: move, zoom, show all"],
	["t", "switch between light and dark"],
	["?", "this"],
];

const showKeys = () => openDialog("Keys", facts(KEYS));

function escape() {
	const active = document.activeElement;
	if (document.body.dataset.view !== "runs") {
		go("#runs");
	} else if (active === current.filter && !current.filter.value) {
		current.focus();
	} else if (shown.a || shown.b) {
		shown.a = shown.b = null;
		showChosen();
		refresh();
	} else {
		forgetFilters();
		current.filter.value = "";
		refresh();
		current.focus();
	}
}

document.addEventListener("keydown", (event) => {
	const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
	if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || $("dialog").open)
		return;
	if (event.key === "Escape") {
		escape();
	} else if (typing) {
		return;
	} else if (event.key === "/") {
		if (document.body.dataset.view !== "runs")
			go("#runs");
		setTimeout(() => current.filter?.focus());
	} else if (event.key === "?") {
		showKeys();
	} else if (event.key === "t") {
		$("theme").click();
	} else if (!current.onKey?.(event.key)) {
		return;
	}
	event.preventDefault();
});

// --- light and dark: follows the system until the switch is used ---

const dark = matchMedia("(prefers-color-scheme: dark)");

function keptTheme() {
	try {
		return localStorage.getItem("sluice-report-theme");
	} catch {
		return null; // a page opened from a file may have no storage
	}
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	$("theme").textContent = theme === "dark" ? "light" : "dark";
	if (document.body.dataset.view !== "runs")
		render();
}

dark.addEventListener("change", () => keptTheme() ?? setTheme(dark.matches ? "dark" : "light"));
$("theme").onclick = () => {
	const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	try {
		localStorage.setItem("sluice-report-theme", theme);
	} catch {
		// the choice then lasts only as long as the page
	}
	setTheme(theme);
};
$("keys").onclick = showKeys;

// --- printed pages are light and have no scroll bars ---

let screenTheme = null;
addEventListener("beforeprint", () => {
	screenTheme = document.documentElement.dataset.theme;
	setTheme("light");
	current.print?.(true);
});
addEventListener("afterprint", () => {
	setTheme(screenTheme);
	current.print?.(false);
});

Chart.defaults.font.family = "system-ui, sans-serif";
$("files").textContent = DATA.files.length > 3 ? plural(DATA.files.length, "file") : DATA.files.join(", ");
$("files").title = DATA.files.join("\n");
if (RUNS.length === 2)
	[shown.a, shown.b] = RUNS;
addEventListener("hashchange", () => {
	render();
	window.scrollTo(0, 0);
	if (document.body.dataset.view === "runs")
		current.focus();
});
setTheme(keptTheme() ?? (dark.matches ? "dark" : "light"));
if (RUNS.length === 1 && !location.hash)
	location.replace("#run/0");
render();
current.focus?.();
