/* SPDX-License-Identifier: MIT */
/* The flame graph: callers above, the heaviest of a caller at the left. */

const canvas = byId("canvas"), scroll = byId("scroll"), pen = canvas.getContext("2d");
const LINE = 19, NARROW = 0.4;
let width = 0, height = 0, density = 1, colours = {};
let zoomed = 0, before = [], focused = -1, hovered = -1, boxes = [], deepest = 0;
let hits = null, query = "";

function readColours() {
	const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue("--" + name).trim();
	colours = { font: "11.5px " + getComputedStyle(document.body).fontFamily };
	for (const name of ["card", "ink", "soft", "line", "stripe", "accent", "hit", "on", "edge", "kernel", "hip", "hsa", "marker", "copy", "allocation",
		"scratch", "other"])
		colours[name] = get(name);
}

const tones = ["kernel", "hip", "hsa", "scratch", "marker", "allocation"];
const toneOfModule = modules.map(name => {
	let hash = 7;
	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	return tones[(hash >>> 4) % tones.length];
});
const isEnd = node => functionOf[node] >= 0 && !moduleOf[functionOf[node]] && labelOf(node).startsWith("[");
const toneOf = node => !node || isEnd(node) ? "other" : isLeaf(node) ? (leaves[node - paths - 1][1] ? "copy" : "hip") : toneOfModule[moduleOf[functionOf[node]]];

/* What is drawn: [node, x, width], by line. */
function layOut() {
	boxes = [];
	deepest = 0;
	for (let node = zoomed; ; node = parentOf[node]) {
		boxes[depthOf[node]] = [[node, 0, width]];
		if (!node)
			break;
	}
	const unit = total[zoomed] ? width / total[zoomed] : 0, open = [[zoomed, 0]];
	while (open.length) {
		const [node, left] = open.pop();
		let x = left;
		deepest = Math.max(deepest, depthOf[node]);
		for (let i = childFirst[node]; i < childFirst[node + 1]; i++) {
			const child = children[i], wide = total[child] * unit;
			/* They come in order: what follows is narrower still. */
			if (wide < NARROW)
				break;
			(boxes[depthOf[child]] ||= []).push([child, x, wide]);
			open.push([child, x]);
			x += wide;
		}
	}
	for (const line of boxes)
		line.sort((a, b) => a[1] - b[1]);
	byId("content").style.height = (deepest + 1) * LINE + "px";
}

const briefOf = names.map(() => null);
/* Without arguments and what templates are made of. */
function brief(name) {
	let text = "", depth = 0;
	for (const c of name.replace(/\boperator(<=>|<<=?|>>=?|<=?|>=?|->\*?|\(\))/g, "operator")) {
		depth += "<(".includes(c) ? 1 : 0;
		text += depth ? "" : c;
		depth -= ">)".includes(c) && depth ? 1 : 0;
	}
	return text.replace(/ (const|\[clone [^\]]*\])*$/, "").split(" ").pop() || name;
}

const shortOf = name => briefOf[name] ??= brief(names[name]);

function cutTo(context, text, room) {
	if (context.measureText(text).width <= room)
		return text;
	let fits = Math.min(text.length, Math.floor(room / 4));
	while (fits > 0 && context.measureText(text.slice(0, fits) + "\u2026").width > room)
		fits--;
	return fits > 1 ? text.slice(0, fits) + "\u2026" : "";
}

function fitting(node, room) {
	const text = labelOf(node);
	return cutTo(pen, functionOf[node] >= 0 && pen.measureText(text).width > room ? shortOf(functionOf[node]) : text, room);
}

function drawBox([node, x, wide], y) {
	const isAbove = depthOf[node] < depthOf[zoomed], matched = !hits || hits[node];
	pen.globalAlpha = matched ? (isAbove ? 0.55 : 1) : 0.28;
	pen.fillStyle = hits && hits[node] === 2 ? colours.hit : colours[toneOf(node)];
	pen.fillRect(x, y, Math.max(wide - (wide > 3 ? 1 : 0), 0.5), LINE - 1);
	pen.globalAlpha = 1;
	if (node === focused || node === hovered) {
		pen.strokeStyle = node === focused ? colours.accent : colours.ink;
		pen.lineWidth = node === focused ? 2 : 1;
		pen.strokeRect(x + 1, y + 1, Math.max(wide - 3, 1), LINE - 3);
	}
	if (wide < 24)
		return;
	pen.fillStyle = hits && hits[node] === 2 ? colours.card : colours.on;
	pen.fillText(fitting(node, wide - 10), x + 5, y + LINE / 2);
}

function drawFlame() {
	pen.setTransform(density, 0, 0, density, 0, 0);
	pen.clearRect(0, 0, width, height);
	pen.font = colours.font;
	pen.textBaseline = "middle";
	const top = scroll.scrollTop;
	for (let line = Math.floor(top / LINE); line <= Math.min(boxes.length - 1, Math.floor((top + height) / LINE)); line++)
		for (const box of boxes[line] || [])
			drawBox(box, line * LINE - top);
	if (!total[0]) {
		pen.fillStyle = colours.soft;
		pen.fillText("No samples.", 10, LINE / 2 + LINE);
	}
	Object.assign(canvas.dataset, { zoomed, total: total[zoomed], boxes: boxes.reduce((sum, line) => sum + line.length, 0) });
}

function boxAt(x, y) {
	const line = boxes[Math.floor((y + scroll.scrollTop) / LINE)] || [];
	let low = 0, high = line.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (line[middle][1] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low && x < line[low - 1][1] + line[low - 1][2] ? line[low - 1][0] : -1;
}

function describe(node) {
	const all = total[0], self = selfOf(node);
	return [plainSamples(total[node]) + ", " + share(total[node], all) + (facts.rate ? ", about " + duration(total[node] / facts.rate * 1e9) : ""),
		isLeaf(node) || !node ? "" : "itself " + plainSamples(self) + ", " + share(self, all)].filter(Boolean);
}

function showPath() {
	const node = focused >= 0 ? focused : zoomed, chain = [];
	for (let at = node; at; at = parentOf[at])
		chain.unshift(labelOf(at));
	byId("path").textContent = node ? describe(node).join("; ") + ": " + chain.map(name => name.slice(0, 200)).join(" \u203a ") :
		plainSamples(total[0]) + (total[0] ? "; click a function to zoom to it" : "");
	byId("back").disabled = !before.length;
	byId("whole").disabled = !zoomed;
}

function zoomTo(node, isBack) {
	if (node === zoomed || node < 0 || !total[node])
		return;
	if (!isBack)
		before.push(zoomed);
	zoomed = node;
	layOut();
	scroll.scrollTop = Math.max(0, depthOf[node] * LINE - height / 3);
	showPath();
	drawFlame();
}
const zoomBack = () => zoomTo(before.pop() ?? 0, true);

function focusOn(node) {
	if (node === undefined || node < 0)
		return;
	focused = node;
	const y = depthOf[node] * LINE;
	if (y < scroll.scrollTop || y + LINE > scroll.scrollTop + height)
		scroll.scrollTop = Math.max(0, y - height / 2);
	showPath();
	drawFlame();
}

/* 2: it matches; 1: what leads to one or comes from one. */
function findIn(text) {
	const test = matcher(text), named = Uint8Array.from(names, name => test(name) ? 2 : 0), found = new Uint8Array(nodes);
	for (let node = 1; node < nodes; node++)
		found[node] = isLeaf(node) ? (test(labelOf(node)) ? 2 : 0) : named[functionOf[node]];
	let sum = 0;
	const within = new Uint8Array(nodes);
	for (let node = 1; node < nodes; node++) {
		within[node] = within[parentOf[node]] || found[node] === 2 ? 1 : 0;
		sum += found[node] === 2 && !within[parentOf[node]] ? total[node] : 0;
	}
	for (let node = nodes - 1; node > 0; node--) {
		if (found[node])
			found[parentOf[node]] ||= 1;
		found[node] ||= within[node];
	}
	return [found, sum];
}

function search(text) {
	hits = null;
	query = "";
	let says = "";
	byId("query").removeAttribute("aria-invalid");
	if (text)
		try {
			const [found, sum] = findIn(text);
			hits = found;
			query = text;
			says = plainSamples(sum) + ", " + share(sum, total[0]);
		} catch {
			byId("query").setAttribute("aria-invalid", "true");
			says = "not a regular expression";
		}
	byId("found").textContent = says;
	drawFlame();
}

function choose(thread, state) {
	[chosen.thread, chosen.state] = [thread, state];
	byId("of-thread").value = String(thread);
	byId("of-state").value = state;
	[zoomed, before, focused, hovered] = [0, [], -1, -1];
	weigh();
	layOut();
	resize();
	search(byId("query").value);
	showPath();
	showTable();
}
