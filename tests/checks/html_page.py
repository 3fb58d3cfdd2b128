# SPDX-License-Identifier: MIT
"""html_page.py FOLDER: opens FOLDER's pages as a person would; a line for each thing that holds or does not."""
import sys
import time

from html_browser import Browser

folder = sys.argv[1]
browser = Browser(folder + "/profile")
SHIFT = 8


def check(sentence):
	"""The decorated function is run at once; what it raises or asserts is told."""
	def run(test):
		try:
			test()
			print("ok " + sentence, flush=True)
		except Exception as error:      # noqa: BLE001 - whatever it is, the other checks go on
			print("not ok %s\n%s: %s" % (sentence, type(error).__name__, error), flush=True)
	return run


def same(is_, wanted):
	assert is_ == wanted, "%r instead of %r" % (is_, wanted)


def near(is_, wanted, off):
	assert abs(is_ - wanted) <= off, "%r is not near %r" % (is_, wanted)


def open_page(name, **how):
	browser.open("%s/%s_results.html" % (folder, name), **how)


def box(selector):
	return browser.js("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector(%r).getBoundingClientRect())" % selector)


def text(selector):
	return browser.js("document.querySelector(%r).textContent" % selector)


def lane_middle(label, group=""):
	"""The middle of the first row of a lane, on the screen."""
	return browser.js("""(() => {
		const labels = [...document.querySelectorAll("#labels > *")], from = labels.findIndex(one => one.textContent.startsWith(%r));
		const found = labels.slice(from).find(one => one.textContent.startsWith(%r)).getBoundingClientRect();
		return found.y + 10; })()""" % (group, label))


def view():
	return browser.settle()


def view_is(what, condition):
	"""The view once it is so: a busy machine takes its time to hand events to the page."""
	limit = time.monotonic() + 8
	while True:
		from_, to = browser.settle()
		if condition(from_, to):
			return from_, to
		assert time.monotonic() < limit, "the view %r is not %s" % ((from_, to), what)


def close_to(is_, wanted, off):
	return abs(is_ - wanted) <= off


def table():
	return browser.js("[...document.querySelectorAll('#table tbody tr')].map(row => [...row.cells].map(cell => cell.textContent.replace(/\\u00a0/g, ' ')))")


def selftest_of(name):
	def run():
		open_page(name, words="#selftest")
		wrong = text("#selftest")
		same(wrong, "")
		result = browser.js("({ ...document.getElementById('selftest').dataset })")
		same(result["wrong"], "0")
		assert int(result["asked"]) > 400 and int(result["pairs"]) > 10 and int(result["views"]) > 30, result
		same(browser.complaints(), [])
		print("# %s: %s events, open after %s ms, a frame every %s ms (95 %%: %s), drawing takes %s ms (most %s)" % (
			name, result["events"], result["loaded"], result["frame"], result["slowFrame"], result["median"], result["slowest"]))
	return run


check("merging, pointing, searching and correlating are right: a short recording")(selftest_of("short"))
check("the same with 100,000 events")(selftest_of("long"))
check("the same when only a part is drawn")(selftest_of("part"))


@check("the page says how many events it draws when that is not all, and so does the search")
def _():
	browser.js("(query => { query.value = 'hip'; query.dispatchEvent(new Event('input')); })(document.getElementById('query'))")
	browser.wait("/^[\\d,]+ events of those drawn$/.test(document.getElementById('found').textContent)", 8)
	says = text("#drawn").replace(",", "")
	drawn, all_ = int(says.split()[0]), int(says.split()[2])
	assert drawn <= 3000 < all_, says
	same(browser.js("[...document.querySelectorAll('#tabs small')].reduce((sum, one) => sum + Number(one.textContent.replace(/,/g, '')), 0) - "
		"Number(document.querySelector('#tabs [data-key=counters] small').textContent)"), all_)


open_page("short")


def all_tables():
	keys = browser.js("[...document.querySelectorAll('#tabs button')].map(tab => tab.dataset.key)")
	tables = {}
	for key in keys:
		browser.js("document.querySelector('#tabs [data-key=%s]').click()" % key)
		tables[key] = sorted(table())
	browser.js("document.querySelector('#tabs button').click()")
	return tables


@check("the page of a database tells the same, and that nothing was lost only if the database does")
def _():
	log, lanes = all_tables(), text("#labels")
	assert len(log) == 8, log.keys()
	open_page("database", words="#selftest")
	same(text("#selftest"), "")
	same(all_tables(), log)
	same(text("#labels"), lanes)
	assert "every record" in text("#state"), text("#state")
	open_page("foreign")
	assert "does not say" in text("#state") and "every record" not in text("#state"), text("#state")


open_page("short")


@check("the run, its settings and that nothing was lost are told")
def _():
	same(text("#title"), "train, process 4711")
	assert "every record" in text("#state"), text("#state")
	run = text("#run")
	for part in ("--data 'it'\\''s here'", "node-17", "ROCPROF_COUNTERS", "pmc: SQ_WAVES GRBM_GUI_ACTIVE", "1.3.0", "gfx942", "/srv/runs"):
		assert part in run, part
	same(text("#notes"), "Counters were read on one of two GPUs.")
	assert box("#notes")[3] > 20


@check("a name made to break out of the page is text, and no more")
def _():
	same(browser.js("document.querySelectorAll('script').length"), 1)
	assert "broken" not in browser.js("document.title")
	names = [row[0] for row in table()]
	evil = [name for name in names if name.startswith("</script><script>document.title='broken'")]
	same(len(evil), 1)
	assert "\\u0001" in evil[0] and "\\u202e" in evil[0] and "\u202e" not in evil[0], evil


@check("tables count, sort and filter")
def _():
	rows = table()
	same(rows[0][0], "void model::gemm<float, 128, 64>(float const*, float const*, float*, int, int, int)")
	launches = sum(int(row[1].replace(",", "")) for row in rows)
	browser.js("document.querySelector('#tabs [data-key=hip_api]').click()")
	calls = {row[0]: int(row[1]) for row in table()}
	same(calls["hipLaunchKernel"], launches)
	for name in calls:
		browser.js("(query => { query.value = %r; query.form.requestSubmit(); })(document.getElementById('query'))" % ("/^%s$/" % name))
		same(text("#found").split()[2].replace(",", ""), str(calls[name]))
	browser.js("(query => { query.value = ''; query.dispatchEvent(new Event('input')); })(document.getElementById('query'))")
	browser.wait("document.getElementById('found').textContent === ''")
	browser.js("document.getElementById('fit').click()")
	view()
	near(sum(float(row[3].split()[0]) for row in table()), 100, 0.3)
	browser.js("document.querySelectorAll('#table th button')[1].click()")
	counts = [int(row[1]) for row in table()]
	same(counts, sorted(counts, reverse=True))
	browser.js("(filter => { filter.value = 'MALLOC'; filter.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
	same([row[0] for row in table()], ["hipMalloc"])
	browser.js("(filter => { filter.value = ''; filter.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")


@check("the wheel zooms around the pointer, and sideways moves")
def _():
	x, y, width, _ = box("#canvas")
	from_, to = view()
	at = from_ + (to - from_) / 4
	for _ in range(6):
		browser.mouse("mouseWheel", x + width / 4, y + 40, deltaX=0, deltaY=-120)
	from2, to2 = view_is("six steps closer", lambda a, b: close_to(b - a, (to - from_) * 2.718281828 ** (-0.0025 * 720), 100))
	near(from2 + (to2 - from2) / 4, at, (to2 - from2) / 200)
	browser.mouse("mouseWheel", x + width / 4, y + 40, deltaX=width / 2, deltaY=0)
	view_is("half a view later", lambda a, b: close_to(a - from2, (to2 - from2) / 2, (to2 - from2) / 50))


@check("dragging moves, dragging on the ruler or with Shift selects, a double click shows all")
def _():
	x, y, width, _ = box("#canvas")
	from_, to = view()
	browser.drag(x + width / 2, y + 40, x + width / 2 - 100, y + 40)
	view_is("100 pixels later", lambda a, b: close_to(a - from_, 100 * (to - from_) / width, (to - from_) / 100))
	for start_y, modifiers in ((box("#ruler")[1] + 10, 0), (y + 40, SHIFT)):
		from_, to = view()
		browser.drag(x + width * 0.25, start_y, x + width * 0.75, start_y, modifiers)
		view_is("the selected half", lambda a, b: close_to(b - a, (to - from_) / 2, (to - from_) / 100) and
			close_to(a, from_ + (to - from_) / 4, (to - from_) / 100))
	browser.click(x + 20, y + 40)
	browser.click(x + 20, y + 40, count=2)
	view_is("everything", lambda a, b: close_to(a, 0, 10) and b > 4e6)


@check("no two marks of the ruler read the same, however deep the view is")
def _():
	browser.js("""(() => {
		const brush = CanvasRenderingContext2D.prototype, { fillText, clearRect } = brush;
		brush.clearRect = function (...where) { if (this.canvas.id === "ruler") window.marks = []; clearRect.apply(this, where); };
		brush.fillText = function (...what) { if (this.canvas.id === "ruler") window.marks.push(what[0]); fillText.apply(this, what); };
	})()""")
	for depth in range(14):
		browser.js("document.getElementById('in').click()")
		view()
		marks = browser.js("window.marks")
		assert len(marks) > 1 and len(set(marks)) == len(marks), "%r at depth %d" % (marks, depth)
	browser.js("document.getElementById('fit').click()")
	view_is("everything", lambda a, b: close_to(a, 0, 10) and b > 4e6)


@check("keys zoom and move, go from event to event and to the counterpart")
def _():
	browser.js("canvas.focus({ preventScroll: true })")
	browser.key("Escape")
	from_, to = view()
	browser.key("w")
	from2, to2 = view_is("closer", lambda a, b: close_to(b - a, (to - from_) / 1.5, 10))
	browser.key("ArrowRight")
	view_is("later", lambda a, b: close_to(a - from2, (to2 - from2) / 5, 10))
	browser.key("a")
	browser.key("s")
	browser.key("0")
	view_is("everything", lambda a, b: close_to(b - a, to - from_, (to - from_) / 40))
	browser.key(".")
	one = browser.js("document.getElementById('details').dataset.event")
	browser.key(".")
	two = browser.js("document.getElementById('details').dataset.event")
	same(int(two), int(one) + 1)
	assert "Grid" in text("#details") and "Dispatch" in text("#details"), text("#details")
	assert "hipLaunchKernel" in text("#details ul"), text("#details ul")
	id_ = browser.js("[...document.querySelectorAll('#details dt')].find(term => term.textContent === 'Correlation').nextSibling.textContent")
	browser.key("c")
	same(text("#details h3"), "hipLaunchKernel")
	same(browser.js("[...document.querySelectorAll('#details dt')].find(term => term.textContent === 'Correlation').nextSibling.textContent"), id_)
	browser.key("Enter")
	view_is("about the pinned event", lambda a, b: b - a < 2e5)
	browser.key("Escape")
	same(browser.js("document.getElementById('details').dataset.event"), "-1")
	browser.key("0")
	view_is("everything", lambda a, b: close_to(b - a, to - from_, (to - from_) / 40))


@check("the pointer shows an event and a click pins it with all its fields")
def _():
	browser.js("document.getElementById('scroll').scrollTop = 1e6")
	view()
	x = box("#canvas")[0]
	y = lane_middle("markers", "Thread 4711")
	browser.mouse("mouseMoved", x + 60, y)
	browser.wait("!document.getElementById('tip').hidden && document.getElementById('tip').textContent.includes('epoch / forward')", 8)
	browser.click(x + 60, y)
	same(text("#details h3"), "epoch / forward")
	for field in ("MARKER_CORE_RANGE_API", "roctxThreadRangeA", "4711  train", "Correlation"):
		assert field in text("#details"), field
	browser.js("document.getElementById('scroll').scrollTop = 0")


@check("the search counts by text and by expression, and goes to the next and the previous")
def _():
	browser.js("document.getElementById('query').focus()")
	browser.type("hipfree")
	frees = browser.wait("(/^[\\d,]+ events?$/.exec(document.getElementById('found').textContent) || [''])[0]")
	browser.key("Enter", "\r")
	browser.wait("document.getElementById('found').textContent.startsWith('1 of')")
	same(text("#details h3"), "hipFree")
	browser.js("document.getElementById('previous').click()")
	n = int(frees.split()[0])
	same(text("#found"), "%d of %d" % (n, n))
	browser.js("document.getElementById('query').value = ''")
	browser.type("/^hip(Free|Malloc)$/")
	browser.wait("document.getElementById('found').textContent !== '%d of %d'" % (n, n))
	browser.wait("/^32 events$/.test(document.getElementById('found').textContent)")
	browser.js("document.getElementById('query').value = ''")
	browser.type("/(/")
	browser.wait("document.getElementById('query').getAttribute('aria-invalid')")
	browser.key("Escape")
	same(text("#found"), "")


@check("groups of lanes close and open")
def _():
	before = box("#content")[3]
	browser.js("document.querySelector('#labels button').click()")
	assert box("#content")[3] < before
	browser.js("document.querySelector('#labels button').click()")
	same(box("#content")[3], before)


@check("colours follow the system and the button")
def _():
	theme = "document.documentElement.dataset.theme"
	browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
	browser.wait(theme + " === 'dark'")
	browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
	browser.wait(theme + " === 'light'")
	browser.js("document.getElementById('theme').click(); document.getElementById('theme').click()")
	same(browser.js(theme), "dark")


CONTRAST = """(() => {
	const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue("--" + name).trim();
	const light = colour => [0, 1, 2].map(i => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255)
		.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const pairs = [["ink", "back"], ["ink", "card"], ["soft", "back"], ["soft", "card"], ["soft", "stripe"], ["accent", "card"], ["accent", "stripe"],
		["good", "good-back"], ["warn", "warn-back"], ["bad", "bad-back"],
		...["kernel", "hip", "hsa", "marker", "copy", "allocation", "scratch", "other"].map(name => ["on", name])];
	return pairs.map(([a, b]) => { const [x, y] = [light(value(a)), light(value(b))].sort((p, q) => q - p); return [a, b, (x + 0.05) / (y + 0.05)]; })
		.filter(pair => pair[2] < 4.5); })()"""


@check("text has the contrast of WCAG AA, light and dark")
def _():
	for theme in ("dark", "light"):
		open_page("short", words="#theme=" + theme)
		same(browser.js("document.documentElement.dataset.theme"), theme)
		same(browser.js(CONTRAST), [])


@check("nothing is cut off at 360 and at 3840 pixels")
def _():
	for width in (360, 3840):
		open_page("short", width=width, height=900)
		same(browser.js("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"), 0)
		assert box("#canvas")[2] > 0.6 * width, box("#canvas")


@check("two fingers zoom")
def _():
	open_page("short", touch=True)
	x, y, width, _ = box("#canvas")
	from_, to = view()

	def touch(kind, *places):
		browser.send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": place, "y": y + 40, "id": i} for i, place in enumerate(places)])
	touch("touchStart", x + width * 0.45, x + width * 0.55)
	for i in range(1, 5):
		touch("touchMove", x + width * (0.45 - 0.05 * i), x + width * (0.55 + 0.05 * i))
	touch("touchEnd")
	view_is("five times closer", lambda a, b: close_to((to - from_) / (b - a), 5, 0.3))


@check("a recording that is damaged says so, and shows what there is")
def _():
	open_page("cut")
	assert browser.js("document.getElementById('state').classList.contains('bad')")
	for part in ("The log is damaged: ", "The log was not closed"):
		assert part in text("#state"), text("#state")
	assert len(table()) == 4 and box("#content")[3] > 300
	same(browser.complaints(), [])


@check("what is missing and what could not be drawn is told")
def _():
	open_page("missing")
	assert browser.js("document.getElementById('state').classList.contains('bad')")
	assert "1,234 records are missing" in text("#state") and "Nothing was lost" not in text("#state"), text("#state")
	for part in ("3 events are not drawn because", "The tables count all.", "1 kernel is drawn without"):
		assert part in text("#drawn"), text("#drawn")


@check("a recording of nothing is a page that says so")
def _():
	open_page("empty", words="#selftest")
	same(text("#selftest"), "")
	assert "nothing to draw" in text("#timeline-section") and "No events" in text("#table")


@check("nothing of all this raised an error, broke the page's policy or fetched anything")
def _():
	same(browser.complaints(), [])


browser.close()
