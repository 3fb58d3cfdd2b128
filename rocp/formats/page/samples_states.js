/* SPDX-License-Identifier: MIT */
/* Threads over time: a line for each, the busiest first, a colour for each state. */

const field = byId("states"), times = byId("times-scroll"), brush = field.getContext("2d");
const ROW = 18, GUTTER = 190, NARROWEST = 1000;
const view = { from: 0, to: extent };
const sequence = threads.slice().sort((a, b) => b.states[0] - a.states[0] || a.tid - b.tid).map(thread => thread.number);
let fieldWidth = 0, fieldHeight = 0, kept = -1, under = -1;

const scaleOf = () => (fieldWidth - GUTTER) / (view.to - view.from);
const xOf = time => GUTTER + (time - view.from) * scaleOf();
const timeAt = x => view.from + (x - GUTTER) / scaleOf();
const threadAt = y => sequence[Math.floor((y + times.scrollTop) / ROW)] ?? -1;

function look(first, last) {
	const span = Math.min(Math.max(last - first, Math.min(NARROWEST, extent)), extent);
	const left = Math.min(Math.max((first + last - span) / 2, 0), extent - span);
	[view.from, view.to] = [left, left + span];
	drawStates();
}
const zoomTime = (factor, around) => look(around - (around - view.from) * factor, around + (view.to - around) * factor);
const moveTime = part => {
	const by = Math.min(Math.max((view.to - view.from) * part, -view.from), extent - view.to);
	look(view.from + by, view.to + by);
};
const fitTime = () => look(0, extent);

/* Stretches narrower than a pixel share it: the longest of them gives its colour. */
function drawThread(thread, y) {
	const last = stretchFirst[thread + 1], scale = scaleOf();
	let i = firstAtLeast(until, stretchFirst[thread], last, view.from), n = 0;
	while (i < last && from[i] <= view.to) {
		const x = Math.max(xOf(from[i]), GUTTER), limit = view.from + (Math.floor(x) + 1 - GUTTER) / scale;
		let best = i, end = until[i];
		for (i++; end < limit && i < last && from[i] < limit; i++) {
			best = until[i] - from[i] > until[best] - from[best] ? i : best;
			end = until[i];
		}
		const right = Math.min(xOf(end), fieldWidth);
		brush.fillStyle = colours[STATE_CLASS[stretchState[best]]];
		brush.fillRect(x, y + 2, Math.max(right - x, 1), ROW - 4);
		n++;
		if (right - x > 34) {
			brush.fillStyle = colours.on;
			const text = stretchPath[best] && !stretchCall[best] ? shortOf(functionOf[stretchPath[best]]).split("::").pop() : calls[stretchCall[best]];
			brush.fillText(cutTo(brush, text, right - x - 8), x + 4, y + ROW / 2);
		}
	}
	return n;
}

function drawLabel(thread, y) {
	brush.fillStyle = thread === chosen.thread ? colours.accent : colours.soft;
	brush.fillText(cutTo(brush, threads[thread].title, GUTTER - 20), 10, y + ROW / 2);
}

function drawStates() {
	brush.setTransform(density, 0, 0, density, 0, 0);
	brush.clearRect(0, 0, fieldWidth, fieldHeight);
	brush.font = colours.font;
	brush.textBaseline = "middle";
	const top = times.scrollTop;
	let bars = 0;
	for (let line = Math.floor(top / ROW); line < Math.min(sequence.length, Math.ceil((top + fieldHeight) / ROW)); line++) {
		const y = line * ROW - top;
		if (line % 2) {
			brush.fillStyle = colours.stripe;
			brush.fillRect(0, y, fieldWidth, ROW);
		}
		drawLabel(sequence[line], y);
		bars += drawThread(sequence[line], y);
	}
	for (const stretch of [kept, under])
		if (stretch >= 0 && until[stretch] >= view.from && from[stretch] <= view.to) {
			const y = sequence.indexOf(stretchThread[stretch]) * ROW - top, x = Math.max(xOf(from[stretch]), GUTTER);
			brush.strokeStyle = stretch === kept ? colours.accent : colours.ink;
			brush.lineWidth = stretch === kept ? 2 : 1;
			brush.strokeRect(x, y + 2, Math.max(Math.min(xOf(until[stretch]), fieldWidth) - x, 2), ROW - 4);
		}
	drawRuler();
	Object.assign(field.dataset, { from: view.from, to: view.to, bars });
}

function drawRuler() {
	const ruler = byId("ruler"), context = ruler.getContext("2d"), tall = ruler.clientHeight;
	ruler.width = Math.round(fieldWidth * density);
	ruler.height = Math.round(tall * density);
	context.setTransform(density, 0, 0, density, 0, 0);
	context.font = colours.font;
	context.textBaseline = "middle";
	const rough = (view.to - view.from) / Math.max(1, (fieldWidth - GUTTER) / 110), base = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1))));
	const gap = [1, 2, 5, 10].map(n => n * base).find(n => n >= rough) || base * 10;
	for (let time = Math.ceil(view.from / gap) * gap; time <= view.to; time += gap) {
		const x = Math.round(xOf(time));
		context.fillStyle = colours.edge;
		context.fillRect(x, tall - 7, 1, 7);
		context.fillStyle = colours.soft;
		context.fillText(duration(Math.round(time)), x + 4, tall / 2);
	}
}

/* The stretch at a place, or -1: one that is there, else the nearest within a few pixels. */
function stretchAt(x, y) {
	const thread = threadAt(y);
	if (thread < 0 || x < GUTTER)
		return -1;
	const time = timeAt(x), first = stretchFirst[thread], last = stretchFirst[thread + 1];
	const at = firstAtLeast(until, first, last, time), near = 3 / scaleOf();
	for (const i of [at, at - 1])
		if (i >= first && i < last && from[i] - near <= time && time <= until[i] + near)
			return i;
	return -1;
}

const doing = stretch => calls[stretchCall[stretch]] + (stretchCall[stretch] && STATES[stretchState[stretch]] !== calls[stretchCall[stretch]] ?
	" (" + STATES[stretchState[stretch]] + ")" : "");
const lasted = stretch => duration(until[stretch] - from[stretch]) + ", from " + duration(from[stretch]) + ", " + plainSamples(stretchSamples[stretch]);

function keep(stretch) {
	kept = stretch;
	const place = byId("details");
	place.dataset.stretch = stretch;
	if (stretch < 0) {
		place.replaceChildren(make("p", { class: "hint" }, "Click a state to keep its stack here."));
		return;
	}
	const thread = threads[stretchThread[stretch]], frames = framesOf(stretchPath[stretch]);
	place.replaceChildren(make("h3", null, make("bdi", null, thread.title + ": " + doing(stretch))), make("p", { class: "hint" }, lasted(stretch)),
		frames.length ? make("ol", null, ...frames.map(name => make("li", null, make("bdi", null, names[name]), " ", make("small", null, modules[moduleOf[name]])))) :
			make("p", { class: "hint" }, "No stack was taken."),
		make("ul", null, make("li", null, press(null, () => {
			choose(thread.number, "all");
			byId("flame-section").scrollIntoView({ block: "start" });
		}, "Stacks of this thread"))));
}
