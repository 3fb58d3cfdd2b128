/* SPDX-License-Identifier: MIT */
/* Pointer and keys. */

function place(tip, area, event, lines) {
	tip.hidden = !lines;
	if (!lines)
		return;
	const box = area.getBoundingClientRect();
	tip.replaceChildren(...lines);
	const left = event.clientX - box.left + 14, top = event.clientY - box.top + 16;
	tip.style.left = Math.max(4, Math.min(left, box.width - tip.offsetWidth - 8)) + "px";
	tip.style.top = (top + tip.offsetHeight > box.height - 4 ? Math.max(4, event.clientY - box.top - tip.offsetHeight - 10) : top) + "px";
}
const within = (event, element) => {
	const box = element.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
};

canvas.addEventListener("pointermove", event => {
	const node = boxAt(...within(event, canvas));
	place(byId("tip"), byId("flame"), event, node < 0 ? null : [make("b", null, make("bdi", null, labelOf(node).slice(0, 600))),
		moduleName(node) ? make("span", null, moduleName(node)) : "", ...describe(node).map(text => make("span", null, text))].filter(Boolean));
	if (node !== hovered) {
		hovered = node;
		drawFlame();
	}
});
canvas.addEventListener("pointerleave", () => {
	hovered = -1;
	byId("tip").hidden = true;
	drawFlame();
});
canvas.addEventListener("click", event => {
	const node = boxAt(...within(event, canvas));
	if (node < 0)
		return;
	focused = -1;
	zoomTo(node);
});
scroll.addEventListener("scroll", drawFlame);

const siblings = node => boxes[depthOf[node]].map(box => box[0]);
canvas.addEventListener("keydown", event => {
	const at = focused >= 0 ? focused : zoomed, line = siblings(at) || [], i = line.indexOf(at);
	const below = (boxes[depthOf[at] + 1] || []).find(box => parentOf[box[0]] === at);
	const acts = { ArrowUp: () => focusOn(at ? parentOf[at] : 0), ArrowDown: () => focusOn(below?.[0]), ArrowLeft: () => focusOn(line[i - 1]),
		ArrowRight: () => focusOn(line[i + 1]), Enter: () => zoomTo(at), Backspace: zoomBack, 0: () => zoomTo(0), Escape: () => {
			focused = -1;
			byId("query").value = "";
			search("");
			showPath();
		} };
	if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key])
		return;
	event.preventDefault();
	acts[event.key]();
});
byId("back").addEventListener("click", zoomBack);
byId("whole").addEventListener("click", () => zoomTo(0));
byId("keys").addEventListener("click", () => {
	const help = byId("help");
	help.hidden = !help.hidden;
	byId("keys").setAttribute("aria-expanded", String(!help.hidden));
});
for (const id of ["of-thread", "of-state"])
	byId(id).addEventListener("change", () => choose(Number(byId("of-thread").value), byId("of-state").value));

let typing = 0;
byId("query").addEventListener("input", event => {
	clearTimeout(typing);
	typing = setTimeout(() => search(event.target.value), 120);
});
byId("search").addEventListener("submit", event => {
	event.preventDefault();
	clearTimeout(typing);
	search(byId("query").value);
});
byId("query").addEventListener("keydown", event => {
	if (event.key !== "Escape")
		return;
	event.target.value = "";
	search("");
	canvas.focus({ preventScroll: true });
});
document.addEventListener("keydown", event => {
	if (event.key !== "/" || ["INPUT", "SELECT"].includes(event.target.tagName))
		return;
	event.preventDefault();
	byId("query").focus();
});

/* The timeline. */
let grabbed = null;
field.addEventListener("pointerdown", event => {
	const [x, y] = within(event, field);
	if (event.button === 0)
		grabbed = { x, y, from: view.from, to: view.to, moved: false, id: event.pointerId };
});
field.addEventListener("pointermove", event => {
	const [x, y] = within(event, field);
	if (grabbed && (grabbed.moved || Math.abs(x - grabbed.x) > 4)) {
		if (!grabbed.moved)
			field.setPointerCapture(grabbed.id);
		grabbed.moved = true;
		const by = Math.min(Math.max((grabbed.x - x) / scaleOf(), -grabbed.from), extent - grabbed.to);
		byId("times-tip").hidden = true;
		look(grabbed.from + by, grabbed.to + by);
		return;
	}
	const stretch = stretchAt(x, y), thread = threadAt(y), frames = stretch < 0 ? [] : framesOf(stretchPath[stretch]);
	place(byId("times-tip"), byId("times"), event, stretch < 0 ? null : [make("b", null, make("bdi", null, threads[thread].title)),
		make("span", null, doing(stretch)), make("span", null, lasted(stretch)),
		make("ol", null, ...frames.slice(0, 10).map(name => make("li", null, make("bdi", null, names[name].slice(0, 120)))),
			frames.length > 10 ? make("li", null, number(frames.length - 10) + " more") : "")]);
	if (stretch !== under) {
		under = stretch;
		drawStates();
	}
});
const letGo = () => { grabbed = null; };
field.addEventListener("pointerup", event => {
	const [x, y] = within(event, field), was = grabbed;
	letGo();
	if (!was || was.moved)
		return;
	if (x < GUTTER && threadAt(y) >= 0) {
		choose(threadAt(y) === chosen.thread ? -1 : threadAt(y), chosen.state);
		return;
	}
	keep(stretchAt(x, y));
	drawStates();
});
field.addEventListener("pointercancel", letGo);
field.addEventListener("pointerleave", () => {
	under = -1;
	byId("times-tip").hidden = true;
	drawStates();
});
field.addEventListener("dblclick", fitTime);
/* With many threads the wheel goes through them, so that the page is not a trap; otherwise it zooms. */
const onWheel = event => {
	const [x] = within(event, field), scrolls = times.scrollHeight > times.clientHeight && event.currentTarget === field;
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		event.preventDefault();
		moveTime((event.deltaX || event.deltaY) / 800);
	} else if (event.ctrlKey || !scrolls) {
		event.preventDefault();
		zoomTime(Math.pow(1.0018, Math.max(-300, Math.min(300, event.deltaY))), timeAt(Math.max(x, GUTTER)));
	}
};
field.addEventListener("wheel", onWheel, { passive: false });
byId("ruler").addEventListener("wheel", onWheel, { passive: false });
times.addEventListener("scroll", drawStates);
const middle = () => (view.from + view.to) / 2;
field.addEventListener("keydown", event => {
	const acts = { w: () => zoomTime(0.7, middle()), s: () => zoomTime(1 / 0.7, middle()), a: () => moveTime(-0.2), d: () => moveTime(0.2), 0: fitTime,
		"+": () => zoomTime(0.7, middle()), "-": () => zoomTime(1 / 0.7, middle()), ArrowLeft: () => moveTime(-0.2), ArrowRight: () => moveTime(0.2),
		ArrowUp: () => { times.scrollTop -= 3 * ROW; }, ArrowDown: () => { times.scrollTop += 3 * ROW; }, Escape: () => {
			keep(-1);
			drawStates();
		} };
	const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
	if (event.ctrlKey || event.metaKey || event.altKey || !act)
		return;
	event.preventDefault();
	act();
});
byId("in").addEventListener("click", () => zoomTime(0.5, middle()));
byId("out").addEventListener("click", () => zoomTime(2, middle()));
byId("fit").addEventListener("click", fitTime);
