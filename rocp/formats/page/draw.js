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
	for (const tick of ticks())
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
