/* SPDX-License-Identifier: MIT */
/* The canvas.  Events narrower than a pixel become one bar whose strength says how busy that pixel is. */

const canvas = byId("canvas"), scroll = byId("scroll"), pen = canvas.getContext("2d");
const view = { from: 0, to: extent }, goal = { from: 0, to: extent };
let width = 0, height = 0, density = 1;
let pinned = -1, partners = [], hovered = -1, selection = null;
let colours = {};
const WIDE = 1.5, LEVELS = 4, NARROWEST = 20;

const classes = ["hip", "hsa", "marker", "other", "other", "other", "other", "other", "other", "kernel", "copy", "allocation", "scratch"];

function mix(a, b, part) {
	const channel = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
	return "#" + [0, 1, 2].map(i => Math.round(channel(a, i) * (1 - part) + channel(b, i) * part).toString(16).padStart(2, "0")).join("");
}

function readColours() {
	const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue("--" + name).trim();
	colours = {};
	for (const name of ["card", "ink", "soft", "line", "stripe", "accent", "hit", "on", "edge"])
		colours[name] = get(name);
	colours.tones = classes.map(name => [get(name), mix(get(name), get("card"), 0.22), mix(get(name), get("ink"), 0.1)]);
	colours.font = "11px " + getComputedStyle(document.body).fontFamily;
}

/* The same name has the same tone everywhere. */
const toneOf = Uint8Array.from(names, name => {
	let hash = 0;
	for (let i = 0; i < name.length && i < 200; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	return (hash >>> 3) % 3;
});
const widthOf = new Float32Array(names.length);

const scaleOf = () => width / (view.to - view.from);
const xOf = time => (time - view.from) * scaleOf();
const timeAt = x => view.from + x / scaleOf();

/* What fits of a name: all of it, or the kernel's own name without types, namespaces and arguments. */
const briefOf = names.map(() => null);
function brief(name) {
	const own = names[name].replace(/^void /, "").replace(/[<(].*$/s, "").replace(/^.*::/, "");
	return briefOf[name] ??= own.slice(0, 200) || names[name].slice(0, 200);
}

function label(event, x, wide, y) {
	const name = nameOf[event], room = wide - 8;
	let text = names[name];
	pen.fillStyle = colours.on;
	/* The lane says where a copy goes. */
	if (domainOfShape[shapeOf[event]] === DOMAIN.COPY) {
		text = size(bytes[event]);
		if (text.length * 6.5 <= room)
			pen.fillText(text, x + 4, y + BAR / 2 + 0.5);
		return;
	}
	if (!widthOf[name])
		widthOf[name] = Math.max(pen.measureText(text.slice(0, 400)).width * Math.max(1, text.length / 400), 1);
	if (widthOf[name] > room) {
		const letter = widthOf[name] / text.length;
		text = brief(name);
		const fits = Math.floor(room / letter * 0.9);
		if (text.length > fits)
			text = fits > 2 ? text.slice(0, fits - 1) + "\u2026" : "";
	}
	if (text)
		pen.fillText(text, x + 4, y + BAR / 2 + 0.5);
}

/*
 * Goes over what of the events order[from..to) (or from..to themselves) is in view: wide(event, x, width) for each that has room,
 * narrow(x, first, next) for those that begin in one pixel.  Returns how many events that was.
 */
function eachBar(order, from, to, wide, narrow) {
	const scale = scaleOf(), at = order ? i => order[i] : i => i;
	const search = (array, low, limit) => {
		if (!order)
			return firstAtLeastNear(array, low, to, limit);
		let high = to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (array[order[middle]] < limit)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	};
	let seen = 0, i = order ? search(end, from, view.from) : firstAtLeast(end, from, to, view.from);
	while (i < to && start[at(i)] <= view.to) {
		const event = at(i), x = (start[event] - view.from) * scale, w = (end[event] - start[event]) * scale;
		if (w >= WIDE) {
			wide(event, x, w);
			i++;
			seen++;
			continue;
		}
		const pixel = Math.floor(x), limit = view.from + (pixel + 1) / scale;
		let next = search(start, i + 1, limit);
		/* The last that begins here may be a wide one. */
		if (next > i + 1 && (end[at(next - 1)] - start[at(next - 1)]) * scale >= WIDE)
			next--;
		while (next > i + 1 && start[at(next - 1)] > view.to)
			next--;
		narrow(pixel, i, next);
		seen += next - i;
		i = next;
	}
	return seen;
}

let lastDraw = { events: 0, bars: 0 };

function drawRow(row, y, dim) {
	const scale = scaleOf();
	let bars = 0, runX = 0, runW = 0, runLevel = 0, runTones = null;
	const flush = () => {
		if (!runW)
			return;
		pen.globalAlpha = dim * (0.5 + 0.5 * runLevel / LEVELS);
		pen.fillStyle = runTones[0];
		pen.fillRect(runX, y, runW, BAR);
		pen.globalAlpha = dim;
		runW = 0;
		bars++;
	};
	const seen = eachBar(null, rowFirst[row], rowFirst[row + 1], (event, x, w) => {
		flush();
		const left = Math.max(x, -4), right = Math.min(x + w, width + 4);
		pen.fillStyle = colours.tones[domainOfShape[shapeOf[event]]][toneOf[nameOf[event]]];
		pen.fillRect(left, y, right - left - (w > 4 ? 1 : 0), BAR);
		bars++;
		const inside = Math.min(right, width) - Math.max(left, 0);
		if (inside >= 22)
			label(event, Math.max(left, 0), inside, y);
	}, (x, first, next) => {
		const level = Math.min(LEVELS, Math.round((busy[next] - busy[first]) * scale * LEVELS));
		const tones = colours.tones[domainOfShape[shapeOf[first]]];
		if (runW && (x !== runX + runW || level !== runLevel || tones !== runTones))
			flush();
		if (!runW)
			[runX, runLevel, runTones] = [x, level, tones];
		runW++;
	});
	flush();
	lastDraw.events += seen;
	lastDraw.bars += bars;
}

function drawMatches(row, y) {
	const [from, to] = matchesIn(row);
	pen.fillStyle = colours.hit;
	eachBar(matches, from, to, (event, x, w) => {
		const left = Math.max(x, -4), right = Math.min(x + w, width + 4);
		pen.fillStyle = colours.tones[domainOfShape[shapeOf[event]]][toneOf[nameOf[event]]];
		pen.fillRect(left, y, right - left - (w > 4 ? 1 : 0), BAR);
		const inside = Math.min(right, width) - Math.max(left, 0);
		if (inside >= 22)
			label(event, Math.max(left, 0), inside, y);
		pen.fillStyle = colours.hit;
		pen.fillRect(left, y + BAR - 3, Math.max(right - left - 1, 1), 3);
	}, x => pen.fillRect(x, y, 1, BAR));
}

function outline(event, colour, weight) {
	const row = rowOf(event), y = rowTop[row] - scroll.scrollTop;
	const left = Math.max(xOf(start[event]), -8), right = Math.min(Math.max(xOf(end[event]), xOf(start[event]) + 2), width + 8);
	pen.strokeStyle = colour;
	pen.lineWidth = weight;
	pen.strokeRect(left - weight / 2, y - weight / 2, right - left + weight, BAR + weight);
}

function connect(a, b) {
	const y = event => rowTop[rowOf(event)] - scroll.scrollTop + BAR / 2;
	const [one, two] = start[a] <= start[b] ? [a, b] : [b, a];
	const x0 = xOf(start[one]), x1 = xOf(start[two]), bend = Math.min(60, Math.abs(x1 - x0) / 2 + 12);
	pen.strokeStyle = colours.accent;
	pen.lineWidth = 1.5;
	pen.beginPath();
	pen.moveTo(x0, y(one));
	pen.bezierCurveTo(x0 + bend, y(one), x1 - bend, y(two), x1, y(two));
	pen.stroke();
}

function drawLanes() {
	const top = scroll.scrollTop, dim = searching() ? 0.28 : 1;
	lastDraw = { events: 0, bars: 0 };
	pen.setTransform(density, 0, 0, density, 0, 0);
	pen.globalAlpha = 1;
	pen.fillStyle = colours.card;
	pen.fillRect(0, 0, width, height);
	pen.font = colours.font;
	pen.textBaseline = "middle";
	pen.fillStyle = colours.line;
	for (const tick of ticks().list)
		pen.fillRect(Math.round(xOf(tick)), 0, 1, height);
	for (const group of groups) {
		if (group.top - top > height || group.top + group.height < top)
			continue;
		pen.fillStyle = colours.stripe;
		pen.fillRect(0, group.top - top, width, HEADER);
		for (const lane of group.lanes) {
			if (!group.open || lane.top - top > height || lane.top + lane.height < top)
				continue;
			pen.fillStyle = colours.line;
			pen.fillRect(0, lane.top + lane.height - top - 0.5, width, 0.5);
			if (lane.kind === "chart")
				drawChart(lane, lane.top - top);
			for (const row of lane.rows) {
				const y = rowTop[row] - top;
				if (y > height || y + BAR < 0)
					continue;
				pen.globalAlpha = dim;
				drawRow(row, y, dim);
				pen.globalAlpha = 1;
				if (searching())
					drawMatches(row, y);
			}
		}
	}
	for (const event of partners) {
		outline(event, colours.accent, 2);
		connect(pinned, event);
	}
	if (hovered >= 0 && hovered !== pinned)
		outline(hovered, colours.soft, 1);
	if (found >= 0 && searching())
		outline(found, colours.hit, 2);
	if (pinned >= 0)
		outline(pinned, colours.accent, 2.5);
	if (selection) {
		pen.fillStyle = colours.accent;
		pen.globalAlpha = 0.16;
		pen.fillRect(xOf(selection.from), 0, (selection.to - selection.from) * scaleOf(), height);
		pen.globalAlpha = 1;
	}
}

/* Round steps of time: 1, 2 or 5 of something, about one in 110 pixels, and two at least. */
function ticks() {
	const wanted = (view.to - view.from) * Math.min(110 / Math.max(width, 1), 0.4), power = 10 ** Math.floor(Math.log10(wanted));
	const step = Math.max(1, power * ([1, 2, 5].find(n => n * power >= wanted) || 10));
	const shift = facts.before, first = Math.ceil((view.from - shift) / step) * step, list = [];
	for (let time = first; time <= view.to - shift && list.length < 200; time += step)
		list.push(time + shift);
	return { step, list };
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
	const ruler = byId("ruler"), context = ruler.getContext("2d"), [, h] = sized(ruler, context), { step, list } = ticks();
	context.font = colours.font;
	context.textBaseline = "middle";
	/* Deep inside a long recording the marks count from the first of them. */
	const base = list.length && Math.abs(list[0] - facts.before) / step > 20000 ? list[0] : null;
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

/* How busy each part of the whole is: GPU above, CPU below. */
let overviewBars = null;
function drawOverview() {
	const overview = byId("overview"), context = overview.getContext("2d"), [w, h] = sized(overview, context);
	if (!overviewBars || overviewBars.width !== w)
		overviewBars = { width: w, part: densities(w) };
	overviewBars.part.forEach(({ tone, values }, half) => {
		context.fillStyle = colours.tones[tone][2];
		const floor = half ? h - 2 : h / 2 - 1, tall = h / 2 - 4;
		for (let x = 0; x < w; x++)
			if (values[x] > 0)
				context.fillRect(x, floor - Math.max(1, tall * Math.min(1, values[x])), 1, Math.max(1, tall * Math.min(1, values[x])));
	});
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
