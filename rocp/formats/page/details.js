/* SPDX-License-Identifier: MIT */
/* What is known of one event. */

const dims = (shape, at) => shape.slice(at, at + 3).join(" \u00d7 ");
const hex = value => "0x" + value.toString(16).padStart(16, "0");
const threadName = id => groups.find(group => group.title.startsWith("Thread " + id + "  ") || group.title === "Thread " + id)?.title.slice(7) || String(id);

function timesOf(event) {
	return [["Starts", moment(start[event])], ["Ends", moment(end[event])], ["Takes", duration(end[event] - start[event])]];
}

function fieldsOf(event) {
	const shape = facts.shapes[shapeOf[event]], domain = shape[SHAPE.domain];
	const pairs = [["Kind", names[shape[SHAPE.kind]]], ["Operation", names[shape[SHAPE.operation]]],
		["Thread", threadName(shape[SHAPE.thread])],
		["Correlation", correlation[event] ? String(correlation[event]) : ""],
		["Ancestor", ancestor[event] ? String(ancestor[event]) : ""],
		["External", external[event] ? String(external[event]) : ""]];
	const at = addressAt[event] - 1;
	if (domain === DOMAIN.COPY)
		pairs.push(["From", agentName(shape[SHAPE.agent2])], ["To", agentName(shape[SHAPE.agent])], ["Size", size(bytes[event])],
			["Rate", bytes[event] && end[event] > start[event] ? size(bytes[event] / (end[event] - start[event]) * 1e9) + "/s" : ""],
			["From address", address2[at] ? hex(address2[at]) : ""], ["To address", address[at] ? hex(address[at]) : ""]);
	else if (domain === DOMAIN.ALLOCATION)
		pairs.push(["Agent", agentName(shape[SHAPE.agent])], ["Size", bytes[event] ? size(bytes[event]) : ""], ["Address", hex(address[at])]);
	else if (domain === DOMAIN.SCRATCH)
		pairs.push(["Agent", agentName(shape[SHAPE.agent])], ["Queue", "0x" + shape[SHAPE.queue]], ["Size", bytes[event] ? size(bytes[event]) : ""],
			["Flags", shape[SHAPE.flags] ? String(shape[SHAPE.flags]) : ""]);
	else if (domain === DOMAIN.KERNEL)
		pairs.push(["Agent", agentName(shape[SHAPE.agent])], ["Queue", "0x" + shape[SHAPE.queue]], ["Stream", String(shape[SHAPE.stream])],
			["Dispatch", String(bytes[event])]);
	return pairs;
}

function kernelOf(event) {
	const shape = facts.shapes[shapeOf[event]];
	if (shape[SHAPE.domain] !== DOMAIN.KERNEL)
		return [];
	const [symbol, id, vgprs, accum, sgprs, lds] = facts.kernels[shape[SHAPE.kernel]];
	const has = shape[SHAPE.grid] > 0;
	const sizes = has ? [["Grid", dims(shape, SHAPE.grid)], ["Workgroup", dims(shape, SHAPE.workgroup)],
		["LDS", size(shape[SHAPE.lds] || lds)], ["Scratch", size(shape[SHAPE.scratch])]] :
		[["Sizes", facts.sizeless ? "not in this page: there are too many different ones" : ""]];
	return [...sizes,
		["VGPRs", accum ? vgprs + " + " + accum + " accumulation" : String(vgprs)], ["SGPRs", String(sgprs)],
		["Kernel", String(id)], ["Symbol", spell(symbol)]];
}

function pin(event) {
	pinned = event;
	partners = event < 0 ? [] : eventsOf(correlation[event]).filter(other => other !== event);
	const place = byId("details");
	place.dataset.event = event;
	if (event < 0) {
		place.replaceChildren(make("p", { class: "hint" }, "Click an event to keep its details here."));
		redraw();
		return;
	}
	const above = ancestor[event] && ancestor[event] !== correlation[event] ? eventsOf(ancestor[event]).slice(0, 1) : [];
	const parts = [list([...timesOf(event), ...fieldsOf(event)])], kernel = kernelOf(event), counters = countersOf(event);
	if (kernel.length)
		parts.push(list(kernel));
	if (counters.length)
		parts.push(list(counters));
	const link = (other, what) => make("li", null, press(null, () => {
		pin(other);
		reveal(other);
	}, what + " ", make("bdi", null, names[nameOf[other]].slice(0, 120)), "  " + duration(end[other] - start[other])));
	const lag = other => start[other] >= start[event] ? "after " + duration(start[other] - start[event]) + ":" :
		duration(start[event] - start[other]) + " before:";
	place.replaceChildren(make("h3", null, make("bdi", null, names[nameOf[event]])), make("div", { class: "parts" }, ...parts),
		partners.length || above.length ? make("ul", { "aria-label": "What belongs to it" },
			...partners.map(other => link(other, lag(other))), ...above.map(other => link(other, "within:"))) : "");
	redraw();
}

function showTip(x, y, event, lane) {
	const tip = byId("tip"), box = byId("timeline").getBoundingClientRect();
	let lines = null;
	if (event >= 0) {
		const shape = facts.shapes[shapeOf[event]], near = nearby(event);
		lines = [make("b", null, make("bdi", null, names[nameOf[event]].slice(0, 300))),
			make("span", null, duration(end[event] - start[event]) + ", from " + moment(start[event]))];
		if (shape[SHAPE.domain] === DOMAIN.KERNEL && shape[SHAPE.grid])
			lines.push(make("span", null, "grid " + dims(shape, SHAPE.grid) + ", workgroup " + dims(shape, SHAPE.workgroup)));
		else if (bytes[event] && shape[SHAPE.domain] > DOMAIN.KERNEL)
			lines.push(make("span", null, size(bytes[event])));
		if (near > 1)
			lines.push(make("span", null, "one of " + number(near) + " events in this pixel: zoom in"));
	} else if (lane && lane.kind === "chart") {
		const says = chartAt(lane, timeAt(x - canvas.getBoundingClientRect().left));
		lines = says ? [make("b", null, lane.label), make("span", null, says)] : null;
	}
	tip.hidden = !lines;
	if (!lines)
		return;
	tip.replaceChildren(...lines);
	const left = x - box.left + 14, top = y - box.top + 16;
	tip.style.left = Math.max(4, Math.min(left, box.width - tip.offsetWidth - 8)) + "px";
	tip.style.top = (top + tip.offsetHeight > box.height - 4 ? Math.max(4, y - box.top - tip.offsetHeight - 10) : top) + "px";
}

/* How many events of its row begin in the same pixel. */
function nearby(event) {
	const row = rowOf(event), pixel = Math.floor(xOf(start[event]));
	return firstAtLeast(start, rowFirst[row], rowFirst[row + 1], timeAt(pixel + 1)) -
		firstAtLeast(start, rowFirst[row], rowFirst[row + 1], timeAt(pixel));
}
