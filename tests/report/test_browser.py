#!/usr/bin/python3
"""Protects the page of `sluice report` in a browser. Views open without an error and without network access. Filters,
sorting, columns, figures and differences show the values of the files. Names cannot inject code, both themes are
readable, and 2,000 runs stay fast.

Usage: test_browser.py SLUICE FOLDER. Generates reports of made-up runs, opens them in headless Chromium, operates them
with mouse and keyboard, and writes screenshots to FOLDER.
"""
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import made_up

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

RUNS = 2000
QUICK_MS = 600  # limit from a key press to the filtered rows, on a busy machine
OPEN_SECONDS = 15

sluice, pictures = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}", flush=True)


def open_browser():
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(77)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--force-color-profile=srgb", "--disable-dev-shm-usage"]:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service(driver), options=options)
    browser.set_page_load_timeout(60)
    return browser


class Page:
    def __init__(self, browser):
        self.browser = browser

    def open(self, path, place=""):
        began = time.monotonic()
        self.browser.get("about:blank")
        self.browser.get(f"file://{path}{place}")
        return time.monotonic() - began

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector="main"):
        return self.browser.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).click()", selector)

    def change(self, selector, value):
        self.script("const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('change'))", selector, value)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def go(self, place):
        self.script("location.hash = arguments[0]", place)
        time.sleep(0.15)

    def wait(self, condition, what, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.script(f"return Boolean({condition})"):
                return
            time.sleep(0.05)
        check(False, f"waited in vain for {what}")

    def picture(self, name):
        time.sleep(0.3)  # charts are drawn in the next frame
        self.browser.save_screenshot(str(pictures / f"{name}.png"))

    def quiet(self, where):
        for entry in self.browser.get_log("browser"):
            check(False, f"{where}: the console says {entry['message']}")


def report(folder, name, *files):
    path = folder / f"{name}.html"
    subprocess.run([sluice, "report", *files, "-o", path], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return path


# --- many runs ---

FILTER_TIME = """
const input = document.getElementById("filter"), times = [];
for (let length = 1; length <= arguments[0].length; length++) {
	const began = performance.now();
	input.value = arguments[0].slice(0, length);
	input.dispatchEvent(new Event("input"));
	document.body.offsetHeight;
	times.push(performance.now() - began);
}
return times.sort((a, b) => a - b);
"""

SCROLL_TIME = """
const grid = document.querySelector(".grid"), began = performance.now();
for (let i = 1; i <= 40; i++) {
	grid.scrollTop = i * 400;
	grid.dispatchEvent(new Event("scroll"));
	document.body.offsetHeight;
}
return (performance.now() - began) / 40;
"""


def many_runs(page, folder):
    store = folder / "many.db"
    made_up.store(store, RUNS)
    path = report(folder, "many", store)
    seconds = page.open(path)
    page.wait("document.querySelectorAll('.grid .row').length > 5", "rows")
    check(seconds < OPEN_SECONDS, f"{RUNS} runs open in {seconds:.1f} s")
    check(page.text(".count") == "2,000 runs", f"the count of runs: {page.text('.count')}")
    check(len(page.all(".grid .row")) < 100, "only rows in sight are in the page")
    check(page.script("return performance.getEntriesByType('resource').length") == 0, "nothing is fetched")
    check([name.text for name in page.all(".stack-legend span")][:3] == ["issued", "waits: arithmetic", "waits: shared memory"], "the colors of the stacks are told")
    times = page.script(FILTER_TIME, "transpose cycles>1000")
    check(times[len(times) // 2] < QUICK_MS, f"a filter takes {times[len(times) // 2]:.0f} ms")
    scroll = page.script(SCROLL_TIME)
    check(scroll < QUICK_MS, f"scrolling takes {scroll:.0f} ms")
    print(f"{RUNS} runs of 300 counters: {path.stat().st_size / 1e6:.1f} MB, open in {seconds:.2f} s; filter median {times[len(times) // 2]:.0f} ms, "
          f"most {times[-1]:.0f} ms; scrolling {scroll:.0f} ms a step")
    page.script("document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))")
    filters(page)
    sorting(page)
    columns(page)
    keys(page)
    page.quiet("many runs")


def filters(page):
    page.click("input[name=program][value=bfs]")
    check(page.text(".count") == "250 of 2,000 runs", f"a facet: {page.text('.count')}")
    page.click("input[name=verdict][value=cut]")
    both = page.text(".count")
    check(page.script("return !document.querySelector('.nothing').hidden") and "No run meets the filters" in page.text(".nothing"), "an empty list is reported")
    page.click("input[name=program][value=bfs]")
    page.picture("runs")
    check(page.text(".count") == "40 of 2,000 runs" and both == "0 of 2,000 runs", f"two facets, then one: {both}, {page.text('.count')}")
    page.click("input[name=verdict][value=cut]")
    field = page.find("#filter")
    for text, count in [("program:bfs", "250"), ("-matmul", "1,750"), ("bfs_1", "250"), ("cycles>0", "2,000"), ("sm.count=3", "125"),
                        ("sm.count!=3", "1,875"), ("sm.count>=16", "125"), ("sm.count<=1", "125"), ("sm.count<1", "0"),
                        ("machine=gtx480 sm.count<=16", None)]:
        field.clear()
        field.send_keys(text)
        shown = page.text(".count").split()[0]
        check(shown == count if count else int(shown.replace(",", "")) < 1000, f"filter {text}: {shown}")
    field.clear()
    field.send_keys("no.such.counter>3")
    check("no counter or figure is called 'no.such.counter'" in page.text(".tools .error"), "a wrong filter is reported")
    field.clear()
    field.send_keys(Keys.SPACE, Keys.BACKSPACE)
    check(page.text(".count") == "2,000 runs", "no filter: all runs")


def column_values(page, title):
    return page.script("""
		const heads = [...document.querySelectorAll(".grid .head > span")].map((head) => head.textContent);
		const at = heads.indexOf(arguments[0]);
		return [...document.querySelectorAll(".grid .row")].sort((a, b) => a.dataset.row - b.dataset.row).map((row) => row.children[at].textContent)""", title)


def sorting(page):
    for wanted in ["descending", "ascending"]:
        page.script("[...document.querySelectorAll('.grid .head button')].find((button) => button.textContent === 'cycles').click()")
        page.script("document.querySelector('.grid').scrollTop = 0")
        values = [int(text.replace(",", "")) for text in column_values(page, "cycles")]
        check(values == sorted(values, reverse=wanted == "descending"), f"cycles {wanted}")
        check(page.script("return document.querySelector('.grid [aria-sort=%s]').textContent" % wanted) == "cycles", f"aria-sort {wanted}")


def columns(page):
    page.click("#columns")
    page.find("dialog input[type=search]").send_keys("l1d.misses / cycles")
    page.script("document.querySelector('dialog .choices button').click()")
    page.press(Keys.ESCAPE, Keys.ESCAPE)  # the first Escape clears the field, as in every search field
    check(not page.script("return document.getElementById('dialog').open"), "Esc closes the dialog")
    values = column_values(page, "l1d.misses / cycles")
    check(len(values) > 5 and all(re.fullmatch(r"[\d.,]+(e-\d+)?", value) for value in values), f"a column of a formula: {values[:3]}")


FORMULAS = ["l1d.misses / l1d.accesses", "100 * (l1d.hits + 1) / cycles", "-l1d.hits + 2 * l1d.misses - 3", "thread_instructions/cycles/2", "1 / cycles", "(1 + 2) * 3 - l2.hits",
            "sm.count * clock.core", "launches"]


def formula_value(formula, stats):
    """Evaluates a formula over a run's statistics in Python."""
    def figure(match):
        name, kernels = match[0], stats["kernels"]
        if name == "launches":
            return str(len(kernels))
        if name in stats["configuration"]:
            return str(stats["configuration"][name])
        return str(sum(kernel.get(name, kernel["counters"].get(name)) for kernel in kernels))
    return eval(re.sub(r"[a-z_][a-z_0-9.]*", figure, formula))


def formulas(page, folder):
    store = folder / "formulas.db"
    made_up.store(store, 20, counters=10)
    runs = [json.loads(stats) for (stats,) in sqlite3.connect(store).execute("select stats from runs order by id")]
    page.open(report(folder, "formulas", store))
    page.script("document.querySelector('.grid').style.height = '3000px'")
    for formula in FORMULAS:
        page.click("#columns")
        page.script("const field = document.querySelector('dialog input'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", formula)
        page.script("(document.querySelector('dialog .choices button') ?? document.querySelector('dialog .choices input')).click(); document.getElementById('dialog').close()")
        shown = [float(value.replace(",", "")) for value in column_values(page, formula)]
        wanted = [formula_value(formula, stats) for stats in runs]
        check(len(shown) == 20 and all(abs(a - b) <= 0.006 * max(abs(b), 0.001) for a, b in zip(shown, wanted)), f"{formula}: {shown[:3]}, not {wanted[:3]}")
    page.quiet("formulas")


def keys(page):
    page.press(Keys.ESCAPE)
    page.script("document.querySelector('.grid').focus()")
    page.press("/")
    page.wait("document.activeElement.id === 'filter'", "/ to focus the filter")
    page.press("s", "c", "a", "n", Keys.ENTER)
    check(page.text(".count") == "250 of 2,000 runs", "typed into the filter")
    page.press(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    check(page.script("return document.querySelector('.grid').getAttribute('aria-activedescendant')") == "row-2", "arrows move")
    page.press(Keys.END)
    check(page.script("return document.querySelector('.row.cursor').dataset.row") == "249", "End goes to the last row")
    check(page.script("const row = document.querySelector('.row.cursor').getBoundingClientRect(), grid = document.querySelector('.grid').getBoundingClientRect();"
                      "return row.bottom <= grid.bottom + 1 && row.top >= grid.top"), "the row of the cursor is in sight")
    page.press("d", Keys.ARROW_UP, "d")
    page.wait("location.hash.startsWith('#difference/')", "d on two rows to show their difference")
    check(page.text("#words").startswith("B "), f"words: {page.text('#words')[:60]}")
    page.press(Keys.ESCAPE)
    page.wait("document.body.dataset.view === 'runs'", "Esc to go back")
    check(len(page.all("#chosen .chip")) == 2, "A and B are still chosen")
    page.press(Keys.ESCAPE)
    check(len(page.all("#chosen .chip")) == 0, "Esc forgets A and B")
    page.press(" ", Keys.ARROW_DOWN, " ")
    check(page.script("return document.querySelectorAll('.row.selected').length") == 2, "space selects")
    page.go("#stacks")
    check("Of the 2 runs with a mark" in page.text(), "stacks of the selected runs")
    page.go("#runs")
    page.press(Keys.ENTER)
    page.wait("location.hash.startsWith('#run/')", "Enter to open a run")
    page.press("?")
    check("side by side" not in page.text("dialog h2") and "Keys" in page.text("dialog h2"), "? shows the keys")
    page.press(Keys.ESCAPE, Keys.ESCAPE)
    page.wait("document.body.dataset.view === 'runs'", "Esc to close, and Esc to go back")


# --- two runs with a known difference ---

def known_stack(dram, issued):
    """Four schedulers give four slots per cycle."""
    return {cause: 0 for cause in made_up.CAUSES} | {"issued": 4 * issued, "dram": 4 * dram, "barrier": 4 * 100}


def known_counters(hits):
    return {"l1d.accesses": 1000, "l1d.hits": hits, "l1d.misses": 1000 - hits, "l2.accesses": 1000 - hits, "l2.hits": 10, "dram.reads": 5, "dram.writes": 5, "same.in_both": 7}


def known_files(folder):
    """A takes 1,500 cycles and B 1,000. Of the 500 extra cycles, 450 waited for DRAM and 50 issued."""
    hostile = "</script><script>window.injected = 1</script><img src=x onerror='window.injected = 2'>"
    a = made_up.statistics("add", [made_up.kernel("add", 1500, known_stack(1000, 400), known_counters(500))], mechanisms=["cap:runs=16,retry=false"])
    b = made_up.statistics("add", [made_up.kernel("add", 1000, known_stack(550, 350), known_counters(750))], mechanisms=["cap:runs=16,retry=true"],
                           configuration={"sm.count": 30})
    c = made_up.statistics(hostile, [made_up.kernel(hostile, 10, known_stack(1, 9), {"<b>.x": 1}, demangled=hostile)], machine="<u>m</u>", mechanisms=["\u2028 '\"&:a=<i>"])
    (folder / "real.cu").write_text("// <b>first</b>\nx[0] = 1;\n\n\ny[0] = 2;")
    (folder / "secret").write_text("not to be seen")
    real = made_up.profile({3: {"dram": 5}})
    del real["kernels"][0]["source"]
    for instruction, file, line in zip(real["kernels"][0]["instructions"], ["real.cu", "secret", "gone.cu", "real.cu"], [2, 1, 7, 5]):
        instruction |= {"file": file, "line": line}
    # a header of the compiler: instruction 1 is on its line 3
    header = folder / "lib/clang/14/include/vars.h"
    header.parent.mkdir(parents=True)
    header.write_text("one\ntwo\nthree\nfour\n")
    real["kernels"][0]["instructions"].insert(1, {**real["kernels"][0]["instructions"][0], "index": 4, "file": str(header), "line": 3})
    (folder / "c.profile.json").write_text(json.dumps(real))
    files = {"a.json": a, "b.json": b, "c.json": c, "a.profile.json": made_up.profile({3: {"dram": 900}, 4: {"dram": 100, "l1": 5}}),
             "b.profile.json": made_up.profile({3: {"dram": 300}, 4: {"dram": 250}})}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    rows = [f"1,add(float*),{cycle},100,{10 + cycle / 100},{4},{320},{50},{30},{20},{9},{40},{80 if cycle <= 500 else 0},{0 if cycle <= 500 else 20},0" for cycle in range(100, 1100, 100)]
    (folder / "b.samples.csv").write_text("kernel,name,cycle,cycles,ipc,live_warps,dram_bytes,sm.stack_issued,sm.stack_dram,sm.stack_idle,l1d.hits,l1d.accesses,sm.warp_instructions[0],sm.warp_instructions[1],sm.warp_instructions[2]\n" + "\n".join(rows) + "\n")
    (folder / "b.timeline.csv").write_text("kernel,cycle_begin,cycle_end,unit,track,name,args\n1,0,400,SM 0,0,block,number=0 warps=8\n1,400,1000,SM 0,0,block,number=1 warps=8\n"
                                           "1,100,300,SM 0,2,cap.fill,line=7\n1,0,1000,GPU,0,add(float*),launch=1\n1,0,900,SM 1,0,block,number=2 warps=8\n")
    # Two launches. The counter's first value covers 30 of the first launch's 40 cycles.
    def names(process, thread, name):
        return {"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": name}}
    events = [{"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}} for process, name in enumerate(["GPU", "SM 0"])]
    events += [names(0, 1, "kernel 0"), names(1, 2, "block 0"), names(1, 3, hostile + " 1")]
    events += [{"pid": 0, "ts": cycle, "ph": "C", "name": "IPC", "args": {"instructions per cycle": value}} for cycle, value in [(100, 40), (130, 8), (140, 5)]]
    events += [{"pid": 0, "ts": 100, "ph": "C", "name": "never", "args": {"%": 0}}]
    for launch, ts, dur in [(1, 100, 40), (2, 140, 60)]:
        events += [{"pid": 1, "tid": 2, "ts": ts + 3, "dur": 10, "ph": "X", "name": "block", "args": {"kernel": launch, "number": launch, "warps": 8}},
                   {"pid": 1, "tid": 3, "ts": ts + 5, "ph": "i", "name": hostile, "args": {"kernel": launch}},
                   {"pid": 0, "tid": 1, "ts": ts, "dur": dur, "ph": "X", "name": "a1.5" + hostile, "args": {"kernel": launch, "launch": launch}}]
    (folder / "c.trace.json").write_text(json.dumps({"traceEvents": events}))
    return ["a.json", "a.profile.json", "b.json", "b.profile.json", "b.samples.csv", "b.timeline.csv", "c.json", "c.trace.json", "c.profile.json"]


def known_difference(page, path):
    page.open(path)
    page.script("document.querySelectorAll('.row .mark.a')[0].click()")
    page.script("document.querySelectorAll('.row .mark.b')[1].click()")
    page.click("#show-difference")
    page.wait("location.hash === '#difference/0/1'", "the difference")
    words = page.text("#words")
    for text in ["B is 50.0 % faster than A: 1,000 cycles instead of 1,500 (-500)", "450 of the 500 saved cycles were spent waiting for DRAM and 50 issuing",
                 "the same 32,000 thread instructions", "L1 hits rise from 50.0 % to 75.0 %",
                 "The machine's counters that changed most: l1d.misses (-50.0 %), l2.accesses (-50.0 %) and l1d.hits (+50.0 %)",
                 "Measured in waiting slots, line 3 of a.cu gained most (-600) and line 4 of a.cu lost most (+145)", "cap.retry is false in A and true in B", "sm.count is 15 in A and 30 in B"]:
        check(text in words, f"in words: {text}: {words}")
    check("same.in_both" not in page.text("#counters") and "l1d.misses" in page.text("#counters"), "counters that changed")
    check("-50.0 %" in page.text("#counters"), "l1d.misses by relative change")
    gained, lost = [table.text for table in page.all("#lines .table")]
    check("float a = x[0];" in gained and "-600" in gained and "float b" not in gained, f"lines that gained: {gained}")
    check("<b>not bold</b>" in lost and "+145" in lost, f"lines that lost: {lost}")
    page.picture("difference")
    page.script("[...document.querySelectorAll('.pickers button')].find((button) => button.textContent === 'swap').click()")
    page.wait("location.hash === '#difference/1/0'", "swapping")
    check("B is 33.3 % slower" not in page.text("#words") and "B is 50.0 % slower than A" in page.text("#words"), f"swapped: {page.text('#words')[:80]}")


def known_run(page, path):
    page.open(path, "#run/1")
    for section in ["kernels", "stack", "lines", "over-time", "timeline", "counters", "configuration"]:
        check(len(page.all(f"section#{section}")) == 1, f"section {section}")
    lines = page.text("#lines")
    check("<b>not bold</b>" in lines and "something new" in lines and "as it is" in lines and "75.0 %" in lines, f"lines: {lines[:300]}")
    row = page.script("return [...document.querySelectorAll('#lines tbody tr')].map((row) => row.textContent).find((text) => text.includes('float a = x[0]'))")
    check("360.5" in row and "500" in row and "3,520" in row and "line 5: 75, line 4: 8" in row, f"a line of two instructions: {row}")
    heat = page.script("return [...document.querySelectorAll('#lines td')].map((cell) => cell.style.background).filter((background) => background)")
    heat = [float(background.split("/")[1].strip(" )")) for background in heat]
    check(len(heat) == 2 and heat[0] > 1.1 * heat[1] > 0, f"the line that waits more is hotter: {heat}")
    page.script("[...document.querySelectorAll('#lines .choice button')].find((button) => button.textContent === 'PTX instructions').click()")
    check("st.global.f32 [%rd1+8], %f3;" in page.text("#lines"), "PTX instructions")
    check("600" in page.text("#timeline") and "cap.fill" in page.text("#timeline"), "events of the timeline summed up")
    for canvas in page.all("canvas"):
        page.script("arguments[0].scrollIntoView()", canvas)
        check(page.script("const canvas = arguments[0], pen = canvas.getContext('2d');"
                          "return new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data).size > 8", canvas), "a chart is drawn")
        check(bool(canvas.get_attribute("aria-label")), "a chart says what it shows")
    heat_map(page)
    page.script("document.getElementById('timeline').scrollIntoView()")
    page.script("document.querySelector('.timeline canvas').focus()")
    page.press("+", Keys.ARROW_RIGHT, "-", "0")
    page.picture("run")


# Lightness of fields of the map, each an SM (of three) and a place in the run (0 to 1). Reads a copy, because Chromium
# warns when a canvas is read twice.
HEAT_LIGHT = """
const canvas = document.querySelector('.heat canvas'), scale = devicePixelRatio || 1, left = 58, right = 108, top = 6;
const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height}), pen = copy.getContext('2d', {willReadFrequently: true});
pen.drawImage(canvas, 0, 0);
const {data, width} = pen.getImageData(0, 0, canvas.width, canvas.height);
return arguments[0].map(([sm, place]) => {
	const x = Math.round(scale * (left + place * (canvas.clientWidth - left - right))), y = Math.round(scale * (top + (sm + 0.5) * 14));
	return data.slice(4 * (y * width + x), 4 * (y * width + x) + 3).reduce((sum, part) => sum + part);
});
"""


def heat_map(page):
    """SM 0 works in the first half, SM 1 at a quarter of its rate in the second, SM 2 never: its row is shown all the same."""
    check(len(page.all(".heat canvas")) == 1, "one map of SMs over time")
    text = page.script("return document.querySelector('.heat').parentNode.innerText")
    check("minimum 0, mean 167, maximum 400, maximum / mean 2.40" in text, f"the spread of SMs: {text}")
    busy, idle, some, none = page.script(HEAT_LIGHT, [[0, 0.25], [0, 0.75], [1, 0.75], [2, 0.25]])
    check(busy > some > idle == none, f"colors by rate: {busy}, {some}, {idle}, {none}")
    check("warp_instructions[" not in page.text("#over-time .tools"), "columns by SM are no counters to choose")


def known_sources(page, path):
    """The page contains the sources that a profile names, if they exist, and no other files."""
    page.open(path, "#run/2")
    rows = page.script("return [...document.querySelectorAll('#lines tbody tr')].map((row) => row.textContent)")
    check(any(row.startswith("real.cu2") and "x[0] = 1;" in row for row in rows) and any(row.startswith("real.cu5") and "y[0] = 2;" in row for row in rows), f"lines of the source: {rows}")
    check(any("<b>first</b>" in row for row in rows) and any(row.startswith("gone.cu7") for row in rows), f"lines near, and of what is not here: {rows}")
    check("not to be seen" not in Path(path).read_text(), "files that are not sources are absent")
    provided = [i for i, row in enumerate(rows) if row.startswith("vars.h")]
    own = [i for i, row in enumerate(rows) if row.startswith("real.cu")]
    check(len(provided) == 1 and rows[provided[0]].startswith("vars.h3") and provided[0] > max(own), f"of the compiler's header, one line after the program's: {rows}")


def known_phone(page, path):
    """On a phone, the words and buttons of the bar do not overlap, and neither do the numbers of an axis."""
    page.open(path, "#difference/0/1")
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True})
    for place in ["#difference/0/1", "#run/0"]:
        page.go(place)
        time.sleep(0.3)
        edges = page.script("return [...document.querySelectorAll('header nav, #chosen .letter, #chosen button, header > button')].map((each) => each.getBoundingClientRect())"
                            ".filter((box) => box.width).map((box) => [box.left, box.right]).sort((a, b) => a[0] - b[0])")
        overlaps = [pair for pair in zip(edges, edges[1:]) if pair[0][1] > pair[1][0] + 0.5]
        check(len(edges) >= 5 and not overlaps and edges[-1][1] <= 390, f"the bar at {place}, 390 wide: {edges}")
    page.go("#difference/0/1")
    time.sleep(0.3)
    marks = page.script("const axis = Chart.getChart(document.querySelector('.chart canvas')).scales.x;"
                        "return axis.ticks.map((tick, i) => [axis.getPixelForTick(i), 6.5 * tick.label.length / 2])")
    check(len(marks) > 1 and all(right[0] - left[0] > left[1] + right[1] for left, right in zip(marks, marks[1:])), f"numbers of the axis: {marks}")
    page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def known_trace(page, path):
    """Lanes and counters belong to the selected launch. Each value is shown for its duration. They can be hidden."""
    def tables():
        return [table.text.replace("\n", " ") for table in page.all("#timeline .table")]
    def under(y, cycle):
        return page.script("const canvas = document.querySelector('.timeline canvas'), box = canvas.getBoundingClientRect(), x = 118 + arguments[1] * (box.width - 118) / 40;"
                           "canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + x, clientY: box.top + arguments[0]}));"
                           "return document.querySelector('.timeline .tip').textContent", y, cycle)
    def press_counters():
        page.script("[...document.querySelectorAll('#timeline button')].find((button) => button.textContent === 'counters').click()")
    page.open(path, "#run/2")
    first, second = tables()
    check("kernel 1 40 40 40" in first and "block 1 10 10 10" in first, f"the first launch: {first}")
    check("IPC instructions per cycle 32 40" in second and "never" not in second, f"counters of the first launch: {second}")
    height = page.script("return document.querySelector('.timeline canvas').clientHeight")
    page.picture("trace")
    for y, cycle, text in [(10, 35, "IPC  8 instructions per cycle, from 30 to 40"), (34 + 5, 20, "kernel  0 to 40, 40 cycles"), (34 + 14 + 5, 8, "block  3 to 13, 10 cycles"),
                           (34 + 14 + 5, 30, "")]:
        check(under(y, cycle).startswith(text) and (text or not under(y, cycle)), f"under the pointer, in cycle {cycle}: {under(y, cycle)}")
    press_counters()
    check(page.script("return document.querySelector('.timeline canvas').clientHeight") < height and len(tables()) == 1, "counters put away")
    press_counters()
    page.change("#timeline select[aria-label=launch]", "2")
    first, second = tables()
    check("kernel 1 60 60 60" in first and "IPC instructions per cycle 5 5" in second, f"the second launch: {first} {second}")


# --- limits ---

# The boxes of a picture's texts and marks, and of the picture.
BOXES = """
const boxOf = (one) => { const {left, top, right, bottom} = one.getBoundingClientRect(); return [left, top, right, bottom]; };
return [...document.querySelectorAll('#limits svg')].map((svg) => ({svg: boxOf(svg), texts: [...svg.querySelectorAll('text')].map(boxOf),
	marks: [...svg.querySelectorAll('circle, rect')].map(boxOf), words: svg.getAttribute('aria-label')}));
"""


def overlap(one, other):
    return min(one[2], other[2]) - max(one[0], other[0]) > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def limits(page, folder):
    """Shows the numbers of `sluice stats --limits --json`: findings, a bar for each unit, and pictures without overlaps."""
    def run(*words):
        return subprocess.run(list(map(str, words)), check=True, cwd=folder, stdout=subprocess.PIPE, text=True).stdout
    source = Path(__file__).resolve().parent.parent / "cli" / "limits_kernels.cu"
    run(sluice, "cc", "-O3", source, "-o", "limits")
    run(sluice, "run", "--stats", "limits.json", "--", "./limits")
    wanted = json.loads(run(sluice, "stats", "--limits", "--json", "limits.json"))
    page.open(report(folder, "limits", "limits.json"), "#run/0")
    choices = page.script("return [...document.querySelectorAll('#limits select option')].map((option) => option.textContent)")
    check(len(choices) == len(wanted) == 9 and choices[-1].startswith("all launches, "), f"the choice of launches: {choices}")
    for number, row in enumerate(wanted):
        page.change("#limits select", str(number))
        known = row["limits"]
        texts = page.script("return [...document.querySelectorAll('.findings dt')].map((one) => one.firstChild.textContent + '|' + one.nextSibling.textContent)")
        check(texts == [f"{rule['name']}|{rule['text']}" for rule in known["rules"]], f"findings of {row['name']}: {texts}")
        gains = page.script("return [...document.querySelectorAll('.findings dt b')].map((one) => parseFloat(one.textContent.slice(8)))")
        check(all(abs(shown - rule["gain"]) <= 0.006 * rule["gain"] + 0.005 for shown, rule in zip(gains, known["rules"])), f"bounds: {gains}")
        bars = page.script("return [...document.querySelectorAll('.uses dd')].map((one) => {const [track, bar] = [one.firstChild, one.querySelector('i')];"
                           "return [parseFloat(one.textContent), bar.getBoundingClientRect().width / track.getBoundingClientRect().width]})")
        check(len(bars) == len(known["use"]) and all(abs(text - 100 * unit["used"]) < 0.051 and abs(length - unit["used"]) < 0.005
                                                     for (text, length), unit in zip(bars, known["use"])), f"bars of {row['name']}: {bars}")
        for picture in page.script(BOXES):
            left, top, right, bottom = picture["svg"]
            check(all(left <= a and top <= b and c <= right and d <= bottom for a, b, c, d in picture["texts"] + picture["marks"]), f"outside of a picture of {row['name']}")
            check(not any(overlap(one, other) for i, one in enumerate(picture["texts"]) for other in picture["texts"][:i]), f"overlapping texts of {row['name']}")
        if number == 0:
            roofline, links = page.script(BOXES)
            check(len(roofline["marks"]) == 3 and "FP32: " in roofline["words"] and "warps to L1 92.2 kB" in links["words"], f"in words: {roofline['words']} {links['words']}")
            page.picture("limits")
    check(not page.all(".findings"), "sums have no findings")
    page.quiet("limits")


# --- streams ---

def stream_files(folder):
    """Five launches of two kernels in four streams, three of them at the same time; each of them alone; 10,000 launches; one with copies."""
    def launch(number, name, cycles, stream, started, first_block=None):
        return made_up.in_stream(made_up.kernel(name, cycles, known_stack(cycles - 150, 50), known_counters(100 * number), number), stream, started, first_block)
    alone = [launch(1, "first", 200, 0, 0), launch(2, "second", 300, 10, 200), launch(3, "first", 500, 2, 200, 400), launch(4, "second", 200, 1, 200),
             launch(5, "first", 300, 10, 700)]
    kernels = [alone[0], *[made_up.in_session(each, 1) for each in alone[1:4]], alone[4]]
    together = made_up.session(1, [2, 3, 4], 200, 500, known_stack(300, 100), known_counters(250))
    many = [made_up.in_session(launch(i + 1, f"kernel_{i % 40}", 200, i % 100, 200 * (i // 100)), 1) for i in range(10000)]
    files = {"together.json": made_up.statistics("t", kernels, sessions=[together]), "alone.json": made_up.statistics("t", [made_up.in_stream(each, 0, 0) for each in alone]),
             "lanes.json": made_up.statistics("m", many, sessions=[together | {"launches": list(range(1, 10001))}]),
             "children.json": made_up.statistics("n", [launch(1, "first", 200, 0, 0), *[launch(i, "second", 100, 0, started) | {"launched_by": 1}
                                                 for i, started in [(2, 50), (3, 60), (4, 200)]], launch(5, "first", 100, 3, 0)]),
             "copies.json": made_up.statistics("c", alone[:1]) | {"copies": [{"stream": 0, "to": "host", "bytes": 4096, "started": 200, "cycles": 300},
                                                                             {"stream": 7, "to": "device", "bytes": 1, "started": 0, "cycles": 100}]}}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return list(files)


# The bars of each lane: [first cycle, last cycle, color, faint]. Reads a copy's pixels, because Chromium warns when a
# canvas is read twice.
BARS = """
const canvas = document.querySelector('#streams canvas'), scale = devicePixelRatio || 1, left = 118, [lanes, cycles] = arguments;
const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height}), pen = copy.getContext('2d', {willReadFrequently: true});
pen.drawImage(canvas, 0, 0);
const {data, width} = pen.getImageData(0, 0, canvas.width, canvas.height);
pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
pen.fillRect(0, 0, 1, 1);
const none = [...pen.getImageData(0, 0, 1, 1).data].join();
const cycle = (x) => Math.round((x / scale - left) * cycles / (canvas.clientWidth - left));
return [...Array(lanes).keys()].map((lane) => {
	const bars = [], y = Math.round(scale * (14 * lane + 7));
	let before = '';
	for (let x = Math.round(scale * left); x < width; x++) {
		const part = [...data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)], color = part[3] < 20 || part.join() === none ? '' : part.join();
		if (color && color !== before)
			bars.push({from: cycle(x), color: part.slice(0, 3).map((value) => value >> 4).join(), light: part[3] < 200});
		if (color)
			bars.at(-1).to = cycle(x + 1);
		before = color;
	}
	return bars.map((bar) => [bar.from, bar.to, bar.color, bar.light]);
});
"""


def rows_of(page, selector):
    return page.script("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))", selector)


def streams(page, folder):
    path = report(folder, "streams", *stream_files(folder))
    page.open(path, "#run/0")
    check(page.text("#streams p") == "5 launches in 4 streams; at most 3 ran at the same time.", f"the streams in words: {page.text('#streams p')}")
    stream_bars(page)
    stream_tables(page)
    page.picture("streams")
    stream_counters(page)
    page.go("#run/1")
    check(not page.all("#streams") and "stream" not in [head.text for head in page.all("#kernels th")], "no lanes for a run of one stream")
    stream_difference(page)
    many_launches(page)
    page.go("#run/3")
    children_in_lanes(page)
    page.go("#run/4")
    copies_in_lanes(page)
    page.quiet("streams")


def stream_bars(page):
    """Lanes are in the order of streams; a bar lasts as long as its launch, and is faint until the first block; each kernel has its color."""
    lanes = page.script(BARS, 4, 1000)
    first, second = lanes[0][0][2], lanes[1][0][2]
    wanted = [[[0, 200, first, False]], [[200, 400, second, False]], [[200, 400, first, True], [400, 700, first, False]], [[200, 500, second, False], [700, 1000, first, False]]]
    same = [len(lane) for lane in lanes] == [len(lane) for lane in wanted] and first != second
    for bar, other in zip(sum(lanes, []), sum(wanted, [])):
        near = 12 if other[3] or bar[3] else 3  # light colors are rounded
        same = same and abs(bar[0] - other[0]) <= near and abs(bar[1] - other[1]) <= near and bar[3] == other[3] and (bar[3] or bar[2] == other[2])
    check(same, f"bars by lane: {lanes}, not {wanted}")
    check([name.text for name in page.all("#streams .legend span > span")] == ["first", "second"], "the kernels' colors are told")
    check("faint part of a bar" in page.text("#streams"), "the faint part is explained")
    tip = page.script("const canvas = document.querySelector('#streams canvas'), box = canvas.getBoundingClientRect();"
                      "canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 118 + 0.6 * (box.width - 118), clientY: box.top + 35}));"
                      "return document.querySelector('#streams .tip').textContent.split('\\n')")
    check(tip == ["launch 3: first(float*)", "200 to 700, 500 cycles", "200 cycles until its first block", "grid 15 x 1 x 1, block 256 x 1 x 1", "session 1"], f"under the pointer: {tip}")
    rows = rows_of(page, "#streams")
    check(rows == [["stream 0 (legacy)", "1", "0", "200", "200", "1,000", "0"], ["stream 1", "1", "200", "400", "200", "1,000", "0"],
                   ["stream 2", "1", "200", "700", "500", "1,000", "200"], ["stream 10", "2", "200", "1,000", "600", "2,000", "0"]], f"the numbers of the lanes: {rows}")


def children_in_lanes(page):
    """Launches by kernels overlap in a stream: they have lanes below the stream's first one."""
    lanes = page.script(BARS, 4, 300)
    spans = [[[round(bar[0], -1), round(bar[1], -1)] for bar in lane] for lane in lanes]
    check(spans == [[[0, 200], [200, 300]], [[50, 150]], [[60, 160]], [[0, 100]]], f"bars of launches by kernels: {lanes}")
    rows = rows_of(page, "#streams")
    check([row[:2] for row in rows] == [["stream 0 (legacy)", "4"], ["stream 3", "1"]], f"the streams of launches by kernels: {rows}")
    tip = page.script("const canvas = document.querySelector('#streams canvas'), box = canvas.getBoundingClientRect();"
                      "canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 118 + 0.3 * (box.width - 118), clientY: box.top + 21}));"
                      "return document.querySelector('#streams .tip').textContent.split('\\n')")
    check("launched by launch 1" in tip, f"a launch by a kernel under the pointer: {tip}")


def copies_in_lanes(page):
    """Copies that took time are in the lanes of their streams, also in a stream without launches."""
    lanes = page.script(BARS, 2, 500)
    same = [len(lane) for lane in lanes] == [2, 1] and len({bar[2] for bar in sum(lanes, [])}) == 3
    for bar, other in zip(sum(lanes, []), [[0, 200], [200, 500], [0, 100]]):
        same = same and abs(bar[0] - other[0]) <= 3 and abs(bar[1] - other[1]) <= 3
    check(same, f"bars of copies: {lanes}")
    check([name.text for name in page.all("#streams .legend span > span")] == ["first", "copies to the host", "copies to the device"], "the colors of copies are told")
    rows = rows_of(page, "#streams")
    check(rows == [["stream 0 (legacy)", "1", "0", "500", "200", "1,000", "0", "1", "4,096", "300"], ["stream 7", "0", "0", "100", "0", "0", "0", "1", "1", "100"]], f"the numbers of copies: {rows}")
    tip = page.script("const canvas = document.querySelector('#streams canvas'), box = canvas.getBoundingClientRect();"
                      "canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 118 + 0.8 * (box.width - 118), clientY: box.top + 7}));"
                      "return document.querySelector('#streams .tip').textContent.split('\\n')")
    check(tip == ["copies to the host", "200 to 500, 300 cycles", "4,096 bytes"], f"a copy under the pointer: {tip}")


def stream_tables(page):
    """Counters that a launch of a session does not have are shown as unknown; the session has them."""
    kernels, sessions = [rows_of(page, f"#kernels > .table:nth-of-type({i})") for i in (1, 2)]
    check([[row[i] for i in (0, 1, 2, 3, 9, 11, 12, 13)] for row in kernels] ==
          [["first", "0, 10", "", "2", "500", "30.0", "1.4", "0.90"], ["second", "1, 10", "with others", "2", "500", "-", "-", "-"],
           ["first", "2", "with others", "1", "500", "-", "-", "-"]], f"kernels by stream: {kernels}")
    check([[row[i] for i in (0, 2, 3, 4, 5, 7, 8)] for row in sessions] == [["session 1", "3", "2 to 4", "200", "500", "25.0", "1.3"]], f"sessions: {sessions}")
    tiles = page.script("return [...document.querySelectorAll('.tiles div')].map((tile) => tile.innerText.replace(/\\n/g, ' '))")
    check("1,000 cycles" in tiles and "28.3 L1 hits %" in tiles, f"the run's figures add up launches alone and sessions: {tiles}")
    stacks = rows_of(page, "#stack")
    check([row[:2] for row in stacks] == [["first", "500"], ["session 1", "500"]], f"stacks of what has stacks: {stacks}")
    check("Launches that ran at the same time have no stacks of their own" in page.text("#stack"), "why kernels are missing")
    check(not re.search("NaN|undefined|Infinity|null", page.script("return document.querySelector('main').innerText")), "no unknown value as it is in JavaScript")


def stream_counters(page):
    values = {}
    options = page.script("return [...document.querySelectorAll('#counters select option')].map((option) => [option.value, option.textContent])")
    for value, name in options:
        page.change("#counters select", value)
        values[name] = {row[0]: row[1] for row in rows_of(page, "#counters")}["l1d.hits"]
    check(values == {"all kernels": "850", "first(float*)": "600", "second(float*) (with others)": "-", "first(float*) (with others)": "-", "session 1": "250"}, f"hits: {values}")


def stream_difference(page):
    page.go("#difference/1/0")
    check("B is 50.0 % faster than A: 1,000 cycles instead of 1,500 (-500)" in page.text("#words"), f"in words: {page.text('#words')}")
    rows = rows_of(page, "#kernels")
    check(rows == [["first", "1,000", "500", "-50.0 %", "", ""], ["second", "500", "-", "-", "", "-"], ["second", "-", "500", "-", "-", "with others"],
                   ["first", "-", "500", "-", "-", "with others"], ["session 1", "-", "500", "-", "-", ""]], f"kernels alone and with others: {rows}")
    check("NaN" not in page.script("return document.querySelector('main').innerText"), "no unknown value in the difference")


def many_launches(page):
    """10,000 launches of 40 kernels: the lanes are drawn quickly, some at a time, and the less important kernels share a color."""
    page.go("#run/2")
    page.wait("document.querySelector('#streams canvas')", "the lanes of 10,000 launches")
    lanes = page.script(BARS, 48, 20000)
    check(page.text("#streams p").startswith("10,000 launches in 100 streams; at most 100 ran"), f"many launches in words: {page.text('#streams p')}")
    check(all(len(lane) == 100 for lane in lanes), f"bars by lane: {[len(lane) for lane in lanes]}")
    names = [name.text for name in page.all("#streams .legend span > span")]
    check(len(names) == 14 and names[-1] == "other kernels", f"the kernels' colors: {names}")
    choices = page.script("return [...document.querySelectorAll('#streams select option')].map((option) => option.textContent)")
    check(choices == ["0 to 47", "48 to 95", "96 to 99"], f"lanes to choose: {choices}")
    milliseconds = page.script("const canvas = document.querySelector('#streams canvas'), began = performance.now();"
                               "for (const key of '+-+-0') canvas.dispatchEvent(new KeyboardEvent('keydown', {key})); return (performance.now() - began) / 5")
    print(f"10,000 launches: lanes drawn in {milliseconds:.0f} ms")
    check(milliseconds < QUICK_MS, f"drawing the lanes takes {milliseconds:.0f} ms")
    page.change("#streams select", "96")
    check(page.script("return document.querySelector('#streams canvas').clientHeight") == 4 * 14 + 22, "the last four lanes")


def hostile_names(page, path):
    page.open(path)
    for place in ["#run/2", "#difference/0/2", "#stacks", "#figures", "#runs"]:
        page.go(place)
        check(page.script("return window.injected") is None, f"{place}: nothing is injected")
        check(not page.all("main img, main u, main b > i, main script"), f"{place}: names are texts")
    check("onerror='window.injected" in page.text(), "the name is shown as it is")
    page.go("#run/2")
    names = page.script("return [...document.querySelectorAll('#kernels .name')].map((name) => [name.textContent.length, name.title])")
    check(names and all(length <= 36 and "onerror='window.injected" in title for length, title in names), f"a long kernel's name leaves room for the numbers: {names}")


def figures(page, path):
    page.open(path, "#figures")
    page.change("input[list=metrics]", "l1d.hits / 10")
    page.change("select", "sm.count")
    rows = page.script("return [...document.querySelectorAll('main tbody tr')].map((row) => row.textContent)")
    check(any(row.startswith("30") and "75" in row for row in rows), f"a figure over sm.count: {rows}")
    page.picture("figure")
    page.change("input[list=metrics]", "l1d.hits /")
    check("the formula ends too early" in page.text(), "a wrong metric is reported")


PLAN = """
title: Bars <b>
source: a paper, Fig. 1
metric: 1 / cycles
unit: speed
show: percent
relative_to: usual
mean: geometric
columns: {usual: {machine: gtx480}, few: {machine: gtx480, options: [l1d.sets=16]}, count: {machine: gtx480, metric: cycles, show: value, unit: cycles}}
rows: {one: {program: ./a, arguments: ["1"], published: [~, -50, ~]}, two: {program: ./a, arguments: ["2"]}}
"""
LINES = """
title: Lines
metric: cycles
over: {l1d.sets: sets of L1}
axes: {l1d.sets: [16, 32], n: [1, 2], command: "./a {n}"}
"""
NAMED = """
title: Named points
metric: 1 / cycles
unit: speed
show: ratio
relative_to: {design: none}
mean: geometric
over: {l1d.sets: sets of L1}
axes: {design: {none: {}, few SMs: {sm.count: 2}}, l1d.sets: [16, 64, 128], n: [1, 2], command: "./a {n}"}
"""
WIDE = """
title: Many columns
metric: cycles
axes: {sm.count: [%s], n: [1], command: "./a {n}"}
""" % ", ".join(str(count) for count in range(1, 25))
PROGRAM = """#!/bin/sh
sets=$(echo "${SLUICE_OPTIONS-}" | sed -n 's/.*l1d.sets=\\([0-9]*\\).*/\\1/p')
echo "{\\"kernels\\": [{\\"name\\": \\"k\\", \\"cycles\\": $(($1 * 1000 + 10 * ${sets:-0})), \\"counters\\": {}}], \\"totals\\": {}}" >"$SLUICE_STATS"
"""


def experiments(page, folder):
    """Figures of `sluice figure`: panels by shown quantity, our value and the paper's in the table, lines over numeric
    axes.
    """
    (folder / "bars.yaml").write_text(PLAN)
    (folder / "lines.yaml").write_text(LINES)
    (folder / "named.yaml").write_text(NAMED)
    (folder / "wide.yaml").write_text(WIDE)
    (folder / "a").write_text(PROGRAM)
    (folder / "a").chmod(0o755)
    for name in ["bars", "lines", "named", "wide"]:
        subprocess.run([sluice, "figure", "-q", f"./{name}.yaml", "--results", "figures.db"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    path = report(folder, "figures", "figures.db", *[word for name in ["bars", "lines", "named", "wide"] for word in ["--figure", f"./{name}.yaml"]])
    page.open(path, "#figures")
    check("Bars <b>" in page.text("h2") and "a paper, Fig. 1; a mark on a bar is the paper's number." in page.text(), "the figure has a description")
    check([caption.text for caption in page.all("figcaption")] == ["speedup over usual, %", "cycles"], "a panel for each shown quantity")
    rows = page.script("return [...document.querySelectorAll('main tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
    check(rows[0] == ["one", "0", "-13.79", "-50", "1,000"] and rows[1] == ["two", "0", "-7.41", "-", "2,000"] and rows[2][0] == "geomean", f"the numbers: {rows}")
    page.picture("experiment")
    page.change("main select", "lines")
    page.wait("location.hash === '#figures/lines'", "the other figure")
    check([caption.text for caption in page.all("figcaption")] == ["Lines"] and len(page.all("main canvas")) == 1, "a figure over numbers")
    page.picture("experiment-lines")
    named_points(page)
    wide_table(page)
    page.go("#runs")
    check({cell.text for cell in page.all(".grid .row a")} == {"a"}, "a program's path is its last part")
    page.go("#figures")
    page.change("main select", "own")
    page.wait("document.querySelector('input[list=metrics]')", "a figure of one's own")
    page.quiet("experiments")


def named_points(page):
    """A panel for the mean and each program, sizes that are powers of two at equal distances, ratios near 1 in percent; a table of lines."""
    page.go("#figures/named")
    check([caption.text for caption in page.all("figcaption")] == ["speedup over none, %"], "percent over what the plan calls its base")
    check([head.text for head in page.all(".panels h4")] == ["geomean", "n=1", "n=2"], f"panels: {[head.text for head in page.all('.panels h4')]}")
    check([name.text for name in page.all("figure .legend span")] == ["few SMs"], "the legend has the plan's names, and not the base")
    kind, ticks = page.script("const {x} = Chart.getChart(document.querySelector('.panels canvas')).scales; return [x.type, x.ticks.map((tick) => tick.label)]")
    check(kind == "logarithmic" and ticks == ["16", "64", "128"], f"the axis of sizes: {kind} {ticks}")
    check([head.text for head in page.all("main th")] == ["", "sets of L1", "none", "few SMs"] and len(page.all("main tbody tr")) == 9, "a column for each line")
    page.picture("experiment-named")


def wide_table(page):
    page.go("#figures/wide")
    for width in [1400, 500]:
        page.browser.set_window_size(width, 1000)
        page.script("dispatchEvent(new Event('hashchange'))")
        time.sleep(0.2)
        cut = page.script("return [...document.querySelectorAll('main .scroll')].filter((box) => box.scrollWidth > box.clientWidth + 1).length")
        check(len(page.all("main table")) > 1 and cut == 0, f"no table is cut, {width} wide: {cut} of {len(page.all('main table'))}")
        columns = page.script("return [...document.querySelectorAll('main th')].map((head) => head.textContent).filter((text) => text)")
        check(len(columns) == 24, f"all columns are there: {len(columns)}")
    page.browser.set_window_size(1400, 1000)


# --- light and dark ---

CONTRAST = """
const color = (name) => {
	const probe = document.createElement("i");
	probe.style.color = getComputedStyle(document.documentElement).getPropertyValue(name);
	document.body.append(probe);
	const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
	probe.remove();
	return parts;
};
const light = (name) => {
	const [r, g, b] = color(name).map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const pairs = [["--text", "--panel"], ["--text", "--paper"], ["--muted", "--panel"], ["--muted", "--paper"], ["--accent", "--panel"], ["--accent", "--paper"],
	["--on-accent", "--accent"], ["--error", "--paper"], ["--text", "--cursor"], ["--accent", "--cursor"], ["--panel", "--mark-a"], ["--panel", "--mark-b"]];
return pairs.map(([one, other]) => {
	const a = light(one), b = light(other);
	return [one, other, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
});
"""


def themes(page, path):
    backgrounds = {}
    for scheme in ["dark", "light"]:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        page.open(path)
        check(page.script("return document.documentElement.dataset.theme") == scheme, f"{scheme} as the system says")
        backgrounds[scheme] = page.script("return getComputedStyle(document.body).backgroundColor")
        for one, other, ratio in page.script(CONTRAST):
            check(ratio >= 4.5, f"{scheme}: {one} on {other} has a contrast of {ratio:.2f}")
        page.picture(f"runs.{scheme}")
        page.go("#run/1")
        page.picture(f"run.{scheme}")
    check(backgrounds["dark"] != backgrounds["light"], "dark is not light")
    page.click("#theme")
    check(page.script("return getComputedStyle(document.body).backgroundColor") == backgrounds["dark"], "the switch")
    page.press("t")
    check(page.script("return document.documentElement.dataset.theme") == "light", "the key t")


def paper(page, path):
    page.open(path, "#difference/0/1")
    page.script("addEventListener('beforeprint', () => { const canvas = document.querySelector('canvas');"
                "window.printed = [new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size,"
                "document.documentElement.dataset.theme]; })")
    page.script("document.documentElement.dataset.theme === 'dark' || document.getElementById('theme').click()")
    page.browser.execute_cdp_cmd("Page.printToPDF", {})
    colors, theme = page.script("return window.printed")
    check(colors > 8 and theme == "light", f"paper is light and has charts: {colors} {theme}")
    check(page.script("return document.documentElement.dataset.theme") == "dark", "the screen is as it was")
    page.open(path)
    page.script("addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('.grid .row').length; })")
    page.browser.execute_cdp_cmd("Page.printToPDF", {})
    check(page.script("return window.printed") == 3, "all runs are on paper")


def main():
    pictures.mkdir(parents=True, exist_ok=True)
    browser = open_browser()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder, page = Path(name), Page(browser)
            many_runs(page, folder)
            formulas(page, folder)
            experiments(page, folder)
            streams(page, folder)
            limits(page, folder)
            path = report(folder, "known", *known_files(folder))
            for test in [known_difference, known_run, known_sources, known_trace, known_phone, hostile_names, figures, themes, paper]:
                test(page, path)
                page.quiet(test.__name__)
    finally:
        browser.quit()
    return failures > 0


sys.exit(main())
