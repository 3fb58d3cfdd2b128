/* SPDX-License-Identifier: MIT */
const words = new URLSearchParams(location.hash.slice(1));
const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = ["light", "dark"].includes(words.get("theme")) ? words.get("theme") : "auto";

function applyTheme() {
	document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
	byId("theme-word").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme];
	byId("theme").setAttribute("aria-label", "Colours: " + { auto: "as the system", light: "light", dark: "dark" }[theme]);
	readColours();
	redraw();
}
byId("theme").addEventListener("click", () => {
	theme = { auto: "light", light: "dark", dark: "auto" }[theme];
	applyTheme();
});
dark.addEventListener("change", applyTheme);
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
