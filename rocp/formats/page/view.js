/* SPDX-License-Identifier: MIT */
/* Ruler, overview, and where the view goes; drawn once for a frame, and only when something changed. */

/* Round steps of time: 1, 2 or 5 of something, about one in 110 pixels, and two at least. */
function ticks() {
	const wanted = (view.to - view.from) * Math.min(110 / Math.max(width, 1), 0.4), power = 10 ** Math.floor(Math.log10(wanted));
	const step = Math.max(1, power * ([1, 2, 5].find(n => n * power >= wanted) || 10));
	const shift = facts.before, first = Math.ceil((view.from - shift) / step) * step, list = [];
	for (let time = first; time <= view.to - shift && list.length < 200; time += step)
		list.push(time + shift);
	return list;
}

function sized(element, context) {
	const w = element.clientWidth, h = element.clientHeight;
	if (element.width !== Math.round(w * density) || element.height !== Math.round(h * density)) {
		element.width = Math.round(w * density);
		element.height = Math.round(h * density);
	}
	context.setTransform(density, 0, 0, density, 0, 0);
	context.clearRect(0, 0, w, h);
	return [w, h];
}

const short = text => text.replace(/(\.\d*?)0+(?=\u00a0)/, (all, part) => part === "." ? "" : part);

function drawRuler() {
	const ruler = byId("ruler"), context = ruler.getContext("2d"), [, h] = sized(ruler, context), list = ticks();
	context.font = colours.font;
	context.textBaseline = "middle";
	/* Deep inside a recording, where neighbours would read the same, the marks count from the first of them. */
	const base = list.some((time, i) => i && moment(time) === moment(list[i - 1])) ? list[0] : null;
	let free = -1e9;
	list.forEach((time, i) => {
		const x = Math.round(xOf(time)), text = short(base === null || i === 0 ? moment(time) : "+" + duration(time - base));
		context.fillStyle = colours.edge;
		context.fillRect(x, h - 7, 1, 7);
		if (x + 4 < free)
			return;
		context.fillStyle = i === 0 && base !== null ? colours.ink : colours.soft;
		context.fillText(text, x + 4, h / 2);
		free = x + 12 + context.measureText(text).width;
	});
	if (selection) {
		context.fillStyle = colours.accent;
		context.globalAlpha = 0.2;
		context.fillRect(xOf(selection.from), 0, (selection.to - selection.from) * scaleOf(), h);
		context.globalAlpha = 1;
		context.fillStyle = colours.ink;
		context.fillText(duration(selection.to - selection.from), Math.max(4, xOf(selection.from) + 4), h / 2);
	}
}

/* How busy each part of the whole is: GPU above, CPU below.  Painted once, and again for another size or other colours. */
const painted = document.createElement("canvas");
function paintOverview(w, h) {
	const key = [w, h, density, colours.card].join();
	if (painted.dataset.key === key)
		return;
	painted.dataset.key = key;
	painted.width = Math.round(w * density);
	painted.height = Math.round(h * density);
	const context = painted.getContext("2d");
	context.setTransform(density, 0, 0, density, 0, 0);
	densities(w).forEach(({ tone, values }, half) => {
		const floor = half ? h - 2 : h / 2 - 1, tall = h / 2 - 4;
		context.fillStyle = colours.tones[tone][2];
		for (let x = 0; x < w; x++) {
			const high = Math.max(1, tall * values[x]);
			if (values[x] > 0)
				context.fillRect(x, floor - high, 1, high);
		}
	});
}

function drawOverview() {
	const overview = byId("overview"), context = overview.getContext("2d"), [w, h] = sized(overview, context);
	if (!w || !h)
		return;
	paintOverview(w, h);
	context.drawImage(painted, 0, 0, w, h);
	const left = view.from / extent * w, right = view.to / extent * w;
	context.fillStyle = colours.ink;
	context.globalAlpha = 0.1;
	context.fillRect(0, 0, left, h);
	context.fillRect(right, 0, w - right, h);
	context.globalAlpha = 1;
	context.strokeStyle = colours.accent;
	context.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 2), h - 1);
}

function densities(w) {
	const part = [{ tone: DOMAIN.KERNEL, values: new Float64Array(w) }, { tone: DOMAIN.HIP, values: new Float64Array(w) }];
	const cell = extent / w;
	for (let row = 0; row < rows; row++) {
		const kind = facts.lanes[rowLane[row]][0];
		/* Of calls the outermost; nested ones are in them. */
		const isFirst = row === 0 || rowLane[row - 1] !== rowLane[row];
		const into = kind === "kernels" || kind === "copies" ? 0 : kind === "calls" && isFirst ? 1 : -1;
		if (into < 0)
			continue;
		for (let i = rowFirst[row]; i < rowFirst[row + 1]; i++) {
			let x = Math.floor(start[i] / cell);
			const last = Math.min(w - 1, Math.floor(end[i] / cell));
			for (x = Math.max(x, 0); x <= last; x++)
				part[into].values[x] += Math.max(0, Math.min(end[i], (x + 1) * cell) - Math.max(start[i], x * cell)) / cell;
		}
	}
	for (const { values } of part) {
		const most = Math.max(1, values.reduce((a, b) => Math.max(a, b), 0));
		for (let x = 0; x < w; x++)
			values[x] /= most;
	}
	return part;
}

let asked = false;
function redraw() {
	if (asked)
		return;
	asked = true;
	requestAnimationFrame(() => {
		asked = false;
		approach();
		drawAll();
	});
}

function drawAll() {
	drawLanes();
	drawRuler();
	drawOverview();
	canvas.dataset.from = Math.round(view.from);
	canvas.dataset.to = Math.round(view.to);
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");
function approach() {
	const span = Math.max(goal.to - goal.from, view.to - view.from);
	const far = Math.abs(goal.from - view.from) + Math.abs(goal.to - view.to);
	if (!far)
		return;
	const part = calm.matches || far < span / 2000 ? 1 : 0.35;
	view.from += (goal.from - view.from) * part;
	view.to += (goal.to - view.to) * part;
	if (part === 1)
		[view.from, view.to] = [goal.from, goal.to];
	else
		redraw();
}

/* Where the view is to go, within what there is; at once or gently. */
function look(from, to, atOnce) {
	const least = Math.min(NARROWEST, extent), margin = extent * 0.01;
	let span = Math.min(Math.max(to - from, least), extent + 2 * margin);
	from = (from + to - span) / 2;
	from = Math.min(Math.max(from, -margin), extent + margin - span);
	[goal.from, goal.to] = [from, from + span];
	if (atOnce)
		[view.from, view.to] = [goal.from, goal.to];
	redraw();
}

function zoom(factor, around, atOnce) {
	const of = atOnce ? view : goal, span = (of.to - of.from) * factor;
	const least = Math.min(NARROWEST, extent), most = extent * 1.02, kept = Math.min(Math.max(span, least), most) / (of.to - of.from);
	look(around - (around - of.from) * kept, around + (of.to - around) * kept, atOnce);
}

const move = (part, atOnce) => {
	const of = atOnce ? view : goal, by = (of.to - of.from) * part;
	look(of.from + by, of.to + by, atOnce);
};
const fit = atOnce => look(0, extent, atOnce);

function resize() {
	density = window.devicePixelRatio || 1;
	canvas.style.height = Math.min(contentHeight, parseFloat(getComputedStyle(scroll).maxHeight) || contentHeight) + "px";
	width = canvas.clientWidth;
	height = canvas.clientHeight;
	canvas.width = Math.round(width * density);
	canvas.height = Math.round(height * density);
	drawAll();
}

/* The event at a place, or -1: one that is there, else the nearest in its row within a few pixels. */
function eventAt(x, y) {
	const lane = laneAt(y);
	if (!lane)
		return -1;
	const row = lane.rows.find(one => y >= rowTop[one] - 1 && y < rowTop[one] + ROW - 1);
	if (row === undefined)
		return -1;
	const time = timeAt(x), near = 3 / scaleOf(), from = rowFirst[row], to = rowFirst[row + 1];
	const next = firstAtLeast(start, from, to, time);
	let best = -1, distance = near;
	for (let i = Math.max(from, next - 2); i < Math.min(to, next + 2); i++) {
		const off = time < start[i] ? start[i] - time : time > end[i] ? time - end[i] : 0;
		if (off < distance || (off === distance && off === 0 && best < 0)) {
			best = i;
			distance = off;
		}
	}
	return best;
}

/* So that it can be seen: into the view in time and height. */
function reveal(event) {
	const group = groups.find(one => one.lanes.some(lane => lane.rows.includes(rowOf(event))));
	if (group && !group.open) {
		group.open = true;
		layOut();
		showLabels();
		resize();
	}
	const y = rowTop[rowOf(event)];
	if (y < scroll.scrollTop || y + BAR > scroll.scrollTop + height)
		scroll.scrollTop = Math.max(0, y - height / 2);
	const span = goal.to - goal.from, long = end[event] - start[event];
	if (start[event] < goal.from || end[event] > goal.to || long < span / 2000) {
		const wanted = long < span / 200 ? Math.max(long * 50, NARROWEST) : Math.max(span, long * 1.5);
		const middle = (start[event] + end[event]) / 2;
		look(middle - Math.min(span, wanted) / 2 - (long > span ? long : 0), middle + Math.min(span, wanted) / 2 + (long > span ? long : 0));
	}
	redraw();
}
