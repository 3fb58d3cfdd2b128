/* SPDX-License-Identifier: MIT */

function size2d(area, element, tall) {
	const most = parseFloat(getComputedStyle(area).maxHeight) || tall;
	element.style.height = Math.min(Math.max(tall, 3 * ROW), most) + "px";
	element.width = Math.round(element.clientWidth * density);
	element.height = Math.round(element.clientHeight * density);
	return [element.clientWidth, element.clientHeight];
}

function resize() {
	density = window.devicePixelRatio || 1;
	width = canvas.clientWidth;
	layOut();
	[width, height] = size2d(scroll, canvas, (deepest + 1) * LINE);
	byId("times-content").style.height = Math.max(sequence.length, 3) * ROW + "px";
	[fieldWidth, fieldHeight] = size2d(times, field, sequence.length * ROW);
	redraw();
}

function redraw() {
	if (!width)
		return;
	drawFlame();
	drawStates();
}

function showCards() {
	const began = facts.realtime ? new Date(facts.realtime).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
	const running = threads.reduce((sum, thread) => sum + thread.states[0], 0);
	const cards = [["Sampled", duration(facts.duration), began],
		["Rate", facts.rate ? figure(facts.rate) + "/s" : "\u2013", plural(facts.ticks, "look") + ", " + number(facts.late) + " late, " + number(facts.dropped) + " left out"],
		["Samples", number(facts.samples), share(running, threads.reduce((sum, thread) => sum + thread.seen, 0)) + " running"],
		["Threads", number(threads.length), ""],
		["Stacks", number(facts.taken), [facts.outside ? number(facts.outside) + " from outside" : "", facts.perf ? number(facts.perf) + " by perf" : "",
			facts.stops ? number(facts.stops) + " by stops, the longest " + duration(facts.longestStop) : "",
			number(facts.missed) + " missed"].filter(Boolean).join(", ")]];
	byId("cards").replaceChildren(...cards.map(([term, value, small]) =>
		make("div", null, make("dt", null, term), make("dd", null, make("bdi", null, value), small ? make("small", null, small) : null))));
	const title = (spell(facts.name) || "Process") + ", process " + facts.pid;
	byId("title").textContent = title;
	document.title = title + " \u2013 roclatch";
	byId("made").textContent = "Made by roclatch. This file needs no network and no other file.";
}

function showState() {
	const says = [];
	if (facts.command)
		says.push(spell(facts.command));
	if (facts.why)
		says.push("No stacks were taken: " + spell(facts.why));
	if (facts.dropped)
		says.push(plural(facts.dropped, "tick") + (facts.dropped === 1 ? " was" : " were") + " left out because the machine was too busy.");
	byId("state").classList.add(facts.why || facts.dropped ? "warn" : "plain");
	byId("state").hidden = !says.length;
	byId("state").replaceChildren(...says.map(text => make("p", null, text)));
	byId("drawn").textContent = [plural(stretches, "stretch", "stretches") + " drawn, each of what was seen the same in looks that follow each other.",
		facts.cell ? "There are more than a page holds: what lies within " + duration(facts.cell) + " is drawn as one." : "",
		facts.cut ? "States over time end early: there were more than are kept. The stacks above count all." : ""].filter(Boolean).join(" ");
}

function showLegend() {
	const used = STATES.map((_, i) => threads.some(thread => thread.states[i]));
	byId("legend").replaceChildren(...STATES.map((state, i) => {
		const swatch = make("i");
		swatch.style.background = "var(--" + STATE_CLASS[i] + ")";
		return used[i] ? make("li", null, swatch, state) : null;
	}).filter(Boolean));
	byId("of-thread").replaceChildren(make("option", { value: "-1" }, "All threads"),
		...sequence.map(thread => make("option", { value: String(thread) }, threads[thread].title)));
}

showCards();
showState();
showLegend();
showTabs();
keep(-1);
weigh();
applyTheme();
choose(-1, "all");
new ResizeObserver(resize).observe(byId("flame"));
addEventListener("beforeprint", () => {
	document.documentElement.dataset.theme = "light";
	readColours();
	redraw();
});
addEventListener("afterprint", applyTheme);
const loaded = performance.now();
if (words.has("selftest"))
	selftest();
document.documentElement.dataset.ready = "true";
