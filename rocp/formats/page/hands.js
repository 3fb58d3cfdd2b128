/* SPDX-License-Identifier: MIT */
/* Wheel, pointer, touch and keys. */

const place = event => {
	const box = canvas.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top + scroll.scrollTop];
};

function wheel(event) {
	const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
	const dx = event.deltaX * lines, dy = event.deltaY * lines;
	event.preventDefault();
	if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
		move((dx || dy) / width, true);
	else
		zoom(Math.exp(Math.max(-200, Math.min(200, dy)) * (event.ctrlKey ? 0.01 : 0.0025)), timeAt(place(event)[0]), true);
}
for (const element of [canvas, byId("ruler"), byId("overview")])
	element.addEventListener("wheel", wheel, { passive: false });

const fingers = new Map();
let drag = null;

function press1(event, selects) {
	if (event.button > 0)
		return;
	fingers.set(event.pointerId, event);
	event.target.setPointerCapture(event.pointerId);
	const [x, y] = place(event);
	if (fingers.size === 2) {
		const [a, b] = [...fingers.values()].map(finger => place(finger)[0]);
		drag = { pinch: true, gap: Math.max(Math.abs(a - b), 8), from: view.from, to: view.to, middle: timeAt((a + b) / 2) };
		selection = null;
		return;
	}
	drag = { x, y, from: view.from, to: view.to, top: scroll.scrollTop, screenY: event.clientY, moved: false,
		selects: selects || event.shiftKey, time: timeAt(x) };
}

function pinch() {
	const [a, b] = [...fingers.values()].map(finger => place(finger)[0]);
	const span = (drag.to - drag.from) * drag.gap / Math.max(Math.abs(a - b), 8), part = (a + b) / 2 / width;
	look(drag.middle - span * part, drag.middle + span * (1 - part), true);
}

function hover(event) {
	if (event.pointerType === "touch" && !event.buttons)
		return;
	const [x, y] = place(event), was = hovered;
	hovered = eventAt(x, y);
	showTip(event.clientX, event.clientY, hovered, laneAt(y));
	canvas.style.cursor = hovered >= 0 ? "pointer" : "";
	if (was !== hovered)
		redraw();
}

function moved(event) {
	if (fingers.has(event.pointerId))
		fingers.set(event.pointerId, event);
	if (!drag) {
		if (event.target === canvas)
			hover(event);
		return;
	}
	if (drag.pinch)
		return fingers.size === 2 ? pinch() : undefined;
	const [x] = place(event);
	if (!drag.moved && Math.abs(x - drag.x) < 4 && Math.abs(event.clientY - drag.screenY) < 4)
		return;
	drag.moved = true;
	byId("tip").hidden = true;
	if (drag.selects) {
		const time = timeAt(x);
		selection = { from: Math.min(time, drag.time), to: Math.max(time, drag.time) };
		redraw();
		return;
	}
	canvas.classList.add("moving");
	const by = (drag.x - x) / width * (drag.to - drag.from);
	scroll.scrollTop = drag.top + drag.screenY - event.clientY;
	look(drag.from + by, drag.to + by, true);
}

function release(event) {
	fingers.delete(event.pointerId);
	canvas.classList.remove("moving");
	const was = drag;
	drag = null;
	if (!was || was.pinch)
		return;
	if (selection) {
		const { from, to } = selection;
		selection = null;
		look(from, to);
	} else if (!was.moved && event.type === "pointerup" && event.target === canvas) {
		const [x, y] = place(event);
		pin(eventAt(x, y));
	}
	redraw();
}

canvas.addEventListener("pointerdown", event => press1(event, false));
byId("ruler").addEventListener("pointerdown", event => press1(event, true));
for (const element of [canvas, byId("ruler")]) {
	element.addEventListener("pointermove", moved);
	element.addEventListener("pointerup", release);
	element.addEventListener("pointercancel", release);
	element.addEventListener("dblclick", () => fit());
}
canvas.addEventListener("pointerleave", () => {
	hovered = -1;
	byId("tip").hidden = true;
	redraw();
});

/* On the overview the view goes where the pointer is. */
const toPointer = event => {
	const box = event.target.getBoundingClientRect(), time = (event.clientX - box.left) / box.width * extent, half = (view.to - view.from) / 2;
	look(time - half, time + half, true);
};
byId("overview").addEventListener("pointerdown", event => {
	event.target.setPointerCapture(event.pointerId);
	toPointer(event);
});
byId("overview").addEventListener("pointermove", event => event.buttons ? toPointer(event) : undefined);
byId("overview").addEventListener("dblclick", () => fit());
scroll.addEventListener("scroll", redraw, { passive: true });

/* The event before or after in its row; without a pinned one the first in view. */
function neighbour(by) {
	if (pinned < 0) {
		for (let row = 0; row < rows; row++) {
			const first = firstAtLeast(end, rowFirst[row], rowFirst[row + 1], view.from);
			if (first < rowFirst[row + 1] && start[first] <= view.to)
				return first;
		}
		return -1;
	}
	const row = rowOf(pinned), next = pinned + by;
	return next >= rowFirst[row] && next < rowFirst[row + 1] ? next : pinned;
}

const goTo = event => {
	if (event < 0)
		return;
	pin(event);
	reveal(event);
};
const middle = () => hovered >= 0 ? Math.min(Math.max(start[hovered], view.from), view.to) : (goal.from + goal.to) / 2;
const keys = {
	w: () => zoom(1 / 1.5, middle()), s: () => zoom(1.5, middle()), "+": () => zoom(1 / 1.5, middle()), "=": () => zoom(1 / 1.5, middle()),
	"-": () => zoom(1.5, middle()), a: () => move(-0.2), d: () => move(0.2), arrowleft: () => move(-0.2), arrowright: () => move(0.2),
	arrowup: () => { scroll.scrollTop -= 3 * ROW; }, arrowdown: () => { scroll.scrollTop += 3 * ROW; },
	0: () => fit(), f: () => fit(), home: () => fit(),
	",": () => goTo(neighbour(-1)), ".": () => goTo(neighbour(1)), c: () => partners.length ? goTo(partners[0]) : undefined,
	enter: () => {
		const long = end[pinned] - start[pinned];
		if (pinned >= 0)
			look(start[pinned] - Math.max(long, NARROWEST) * 0.2, end[pinned] + Math.max(long, NARROWEST) * 0.2);
	},
	n: () => step(1), p: () => step(-1), escape: () => pin(-1),
};
canvas.addEventListener("keydown", event => {
	const action = keys[event.key.toLowerCase()];
	if (!action || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	action();
});
document.addEventListener("keydown", event => {
	if (event.key !== "/" || /^(input|textarea)$/i.test(document.activeElement?.tagName || ""))
		return;
	event.preventDefault();
	byId("query").focus();
});
byId("in").addEventListener("click", () => zoom(1 / 2, middle()));
byId("out").addEventListener("click", () => zoom(2, middle()));
byId("fit").addEventListener("click", () => fit());
byId("keys").addEventListener("click", () => {
	byId("help").hidden = !byId("help").hidden;
	byId("keys").setAttribute("aria-expanded", String(!byId("help").hidden));
});
