/* SPDX-License-Identifier: MIT */
/* Paper is white, and a timeline fills no more than a sheet. */
addEventListener("beforeprint", () => {
	document.documentElement.dataset.theme = "light";
	document.documentElement.dataset.printing = "";
	byId("more").open = true;
	readColours();
	showLabels();
	resize();
});
addEventListener("afterprint", () => {
	delete document.documentElement.dataset.printing;
	applyTheme();
	showLabels();
	resize();
});

showRun();
showCards();
showState();
showLegend();
startTables();
layOut();
applyTheme();
showLabels();
pin(-1);
if (!count && !points)
	byId("timeline").replaceWith(byId("timeline"), make("p", { class: "note" }, "There is nothing to draw."));
resize();
new ResizeObserver(() => {
	showLabels();
	resize();
}).observe(byId("timeline"));
const loaded = performance.now();
Promise.resolve(words.has("selftest") ? selftest() : null).then(() => { document.documentElement.dataset.ready = "true"; });
