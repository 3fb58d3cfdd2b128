# SPDX-License-Identifier: MIT
"""samples_page.py FOLDER: opens FOLDER's pages of samples as a person would; a line for each thing that holds or does not."""
import json
import sys

from html_browser import Browser

folder = sys.argv[1]
browser = Browser(folder + "/browser")


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


def open_page(name, **how):
	browser.open("%s/%s.html" % (folder, name), **how)


def text(selector):
	return browser.js("document.querySelector(%r).textContent.replace(/\\u00a0/g, ' ')" % selector)


def box(selector):
	return browser.js("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector(%r).getBoundingClientRect())" % selector)


def table():
	return browser.js("[...document.querySelectorAll('#table tbody tr')].map(row => [...row.cells].map(cell => cell.textContent.replace(/\\u00a0/g, ' ')))")


def point(selector, part, line, tall):
	"""A place in a canvas: a part of its width, the middle of a line."""
	x, y, width, _ = box(selector)
	return x + width * part, y + line * tall + tall / 2


def flame(part, line):
	return point("#canvas", part, line, 19)


def choose(selector, value):
	browser.js("(one => { one.value = %r; one.dispatchEvent(new Event('change')); })(document.querySelector(%r))" % (value, selector))


def selftest_of(name, least):
	def run():
		open_page(name, words="#selftest")
		same(text("#selftest"), "")
		result = browser.js("({ ...document.getElementById('selftest').dataset })")
		same(result["wrong"], "0")
		for key, value in least.items():
			assert int(result[key]) >= value, (key, result)
		same(browser.complaints(), [])
		print("# %s: %s call paths, %s threads, open after %s ms, both drawings take %s ms" % (
			name, result["nodes"], result["threads"], result["loaded"], result["drawn"]))
	return run


check("sums, boxes, pointing and searching are right: a small profile")(selftest_of("small", {"asked": 20, "searched": 5, "looked": 5}))
check("the same with 10,000 stacks and 2,000 threads")(selftest_of("large", {"nodes": 100000, "asked": 1000, "searched": 20, "looked": 300}))
check("the same with names that are meant to break it")(selftest_of("hostile", {"asked": 20, "searched": 5}))
check("the same of one sample")(selftest_of("once", {"asked": 4, "looked": 1}))

open_page("small")


@check("it tells what was sampled")
def _():
	same(text("#title"), "solver, process 4711")
	for part in ("1.000 s", "10/s", "10 looks, 1 late, 0 left out", "35.0 % running", "19 from outside, 0 missed"):
		assert part in text("#cards"), text("#cards")
	same(text("#path"), "20 samples; click a function to zoom to it")


@check("the table has each function's own and all samples, and sorts")
def _():
	token = "libx.so+0x1a2b[00112233445566778899aabbccddeeff01234567]"
	rows = [[token, "libx.so", "10  50.0 %", "50.0 %", "10  50.0 %"], ["solve(int)", "solver", "6  30.0 %", "30.0 %", "6  30.0 %"],
		["__futex_wait", "libc.so.6", "3  15.0 %", "15.0 %", "3  15.0 %"], ["main", "solver", "0  0.0 %", "0.0 %", "9  45.0 %"]]
	same(table(), rows)
	browser.js("document.querySelectorAll('#table th button')[4].click()")
	same([row[0] for row in table()], [token, "main", "solve(int)", "__futex_wait"])
	browser.js("document.querySelectorAll('#table th button')[4].click()")
	same([row[0] for row in table()], ["__futex_wait", "solve(int)", "main", token])
	browser.js("document.querySelector('#tabs [data-key=blocked]').click()")
	same(table(), [[token, "libx.so", "read", "10  50.0 %", "50.0 %"], ["__futex_wait", "libc.so.6", "futex", "3  15.0 %", "15.0 %"]])
	browser.js("document.querySelector('#tabs [data-key=threads]').click()")
	same([row[:3] for row in table()], [["solver 4711", "10", "7  70.0 %"], ["worker 4712", "10", "0  0.0 %"]])
	browser.js("document.querySelector('#tabs [data-key=functions]').click()")


@check("pointing at a function tells what it does itself and with all that it calls")
def _():
	x, y = flame(0.6, 1)
	browser.mouse("mouseMoved", x, y)
	browser.wait("!document.getElementById('tip').hidden")
	same(text("#tip"), "mainsolver9 samples, 45.0 %, about 900.0 msitself 0 samples, 0.0 %")
	browser.mouse("mouseMoved", *flame(0.6, 2))
	browser.wait("document.getElementById('tip').textContent.startsWith('solve(int)')")
	assert "itself 2 samples, 10.0 %" in text("#tip"), text("#tip")


@check("a click zooms, and there are ways back")
def _():
	browser.click(*flame(0.6, 1))
	browser.wait("document.getElementById('canvas').dataset.total === '9'")
	browser.click(*flame(0.1, 2))
	browser.wait("document.getElementById('canvas').dataset.total === '6'")
	assert text("#path").endswith("main \u203a solve(int)"), text("#path")
	browser.js("document.getElementById('back').click()")
	browser.wait("document.getElementById('canvas').dataset.total === '9'")
	browser.click(*flame(0.5, 0))
	browser.wait("document.getElementById('canvas').dataset.total === '20'")


@check("keys go from function to function, zoom and come back")
def _():
	browser.js("document.getElementById('canvas').focus()")
	for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
		browser.key(key)
	browser.wait("document.getElementById('path').textContent.endsWith('main \u203a solve(int)')")
	browser.key("Enter")
	browser.wait("document.getElementById('canvas').dataset.total === '6'")
	browser.key("0")
	browser.wait("document.getElementById('canvas').dataset.total === '20'")
	browser.key("Escape")
	browser.key("/")
	same(browser.js("document.activeElement.id"), "query")


@check("the search tells the share of samples that have it anywhere")
def _():
	browser.type("solve")
	browser.wait("document.getElementById('found').textContent.includes('6 samples')")
	same(text("#found"), "6 samples, 30.0 %")
	for query, found in (("/^main$/", "9 samples, 45.0 %"), ("[futex]", "3 samples, 15.0 %"), ("/(/", "not a regular expression"), ("nowhere", "0 samples, 0.0 %"), ("", "")):
		browser.js("(one => { one.value = %r; one.form.requestSubmit(); })(document.getElementById('query'))" % query)
		same(text("#found"), found)


@check("one thread, or one state, can be looked at alone")
def _():
	choose("#of-thread", "1")
	same(text("#path").split(";")[0], "10 samples")
	same([row[0] for row in table()][1:], [])
	choose("#of-thread", "-1")
	choose("#of-state", "running")
	same(text("#path").split(";")[0], "7 samples")
	choose("#of-state", "blocked")
	same(text("#path").split(";")[0], "13 samples")
	choose("#of-state", "all")


@check("the timeline tells what a thread did when, and keeps a stack")
def _():
	browser.js("document.getElementById('states-section').scrollIntoView()")
	browser.mouse("mouseMoved", *point("#states", 0.95, 0, 18))
	browser.wait("!document.getElementById('times-tip').hidden")
	same(text("#times-tip"), "solver 4711futex (sleeping)300.0 ms, from 700.0 ms, 3 samples__futex_waitmain")
	browser.click(*point("#states", 0.95, 0, 18))
	browser.wait("!!document.querySelector('#details li')")
	same(text("#details h3"), "solver 4711: futex (sleeping)")
	same(browser.js("[...document.querySelectorAll('#details ol li')].map(one => one.textContent)"), ["__futex_wait libc.so.6", "main solver"])


@check("the timeline zooms and moves")
def _():
	view = lambda: [float(part) for part in browser.js("[states.dataset.from, states.dataset.to]")]        # noqa: E731
	same(view(), [0, 1e9])
	browser.js("document.getElementById('states').focus()")
	browser.key("w")
	first = view()
	assert abs(first[1] - first[0] - 7e8) < 1, first
	browser.key("d")
	assert abs(view()[0] - first[0] - 1.4e8) < 1, view()
	x, y = point("#states", 0.5, 0, 18)
	browser.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-200)
	browser.wait("Number(states.dataset.to) - Number(states.dataset.from) < 6.9e8")
	browser.key("0")
	same(view(), [0, 1e9])
	browser.js("document.getElementById('in').click()")
	x, y = point("#states", 0.6, 0, 18)
	before = view()
	browser.drag(x, y, x + 100, y)
	assert view()[0] < before[0], view()
	browser.js("document.getElementById('fit').click()")


@check("a click on a thread's name shows its stacks alone")
def _():
	browser.click(*point("#states", 0.02, 1, 18))
	browser.wait("document.getElementById('of-thread').value === '1'")
	browser.click(*point("#states", 0.02, 1, 18))
	browser.wait("document.getElementById('of-thread').value === '-1'")


@check("light and dark are told apart, in the page and in its drawings")
def _():
	pixel = "JSON.stringify([...canvas.getContext('2d').getImageData(5, 30, 1, 1).data])"
	seen = set()
	for theme in ("light", "dark"):
		open_page("small", words="#theme=" + theme)
		same(browser.js("document.documentElement.dataset.theme"), theme)
		seen.add((browser.js("getComputedStyle(document.body).backgroundColor"), browser.js(pixel)))
	same(len(seen), 2)
	assert len({one[1] for one in seen}) == 2, seen


@check("names are text, whatever is in them")
def _():
	open_page("hostile")
	assert text("#title").startswith("</script><script>document.title='broken'</script>"), text("#title")
	assert browser.js("document.title").startswith("</script><script>"), browser.js("document.title")
	same(browser.js("document.querySelectorAll('script').length"), 1)
	names = [row[0] for row in table()]
	assert any(name.startswith("</script>") and "\\u001b[2J\\u0001\ufffd \\u202eevil" in name for name in names), names
	assert "\x1b" not in text("body") and "\u202e" not in text("body")


@check("profiles of nothing are pages too")
def _():
	for name, says in (("empty", "0 samples"), ("unsampled", "No stacks were taken: it is another user's")):
		open_page(name, words="#selftest")
		same(text("#selftest"), "")
		assert says in text("main"), text("main")


@check("a narrow window shows all of it without a bar below")
def _():
	open_page("large", width=420, height=800)
	same(browser.js("document.documentElement.scrollWidth <= 420"), True)
	assert int(browser.js("canvas.dataset.boxes")) > 100


@check("nothing of all this raised an error, broke the page's policy or fetched anything")
def _():
	same(browser.complaints(), [])
	same(json.loads(browser.js("JSON.stringify(performance.getEntriesByType('resource').map(one => one.name))")), [])


browser.close()
