# SPDX-License-Identifier: MIT
"""report_page.py FOLDER: opens the page of a job of 60 ranks, of which 5 is slow; a line for each thing that holds or does not."""
import sys

from html_browser import Browser

folder = sys.argv[1]
browser = Browser(folder + "/profile")


def check(sentence, holds):
	print(("ok " if holds else "not ok ") + sentence, flush=True)


def text(selector):
	return browser.js("document.querySelector(%r).textContent" % selector)


browser.open(folder + "/report_results.html")
browser.settle()
labels = browser.js("[...document.querySelectorAll('#labels > *')].map(one => one.textContent)")
check("the page says how many ranks and hosts there are", "60 ranks on 8 hosts" in text("#title"))
check("the page says who is slow", "rank 5 on n1 is slow: its kernels took 1.9 times the median" in text("#notes"))
check("the page tells the clocks and how far they may be wrong", "clock of n8: +0.000 s against the others, \u00b1 0.5 ms" in text("#notes"))
check("the slow rank has its lane, with its host and clock",
	any(label.startswith("rank 5 on n1, GPU 0, slow (clock +0.000 s \u00b1 0.5 ms)") for label in labels))
check("16 of 60 ranks have lanes of their own, the others a bar",
	sum(label.startswith("rank ") and ", GPU 0" in label for label in labels) == 16 and any("ranks, each from" in label for label in labels))
check("the page has nothing to complain of", browser.complaints() == [])
if len(sys.argv) > 2:
	browser.picture(sys.argv[2])
browser.close()
