/* SPDX-License-Identifier: MIT */
/* What is drawn where: groups of lanes from the top, each lane with rows of events or a chart. */

const ROW = 18, BAR = 16, PAD = 4, HEADER = 24, CHART = 54;

const groups = [];
{
	const group = (title, before) => {
		let found = groups.find(one => one.title === title);
		if (!found) {
			found = { title, lanes: [], open: true };
			const at = before ? groups.findIndex(before) : -1;
			groups.splice(at < 0 ? groups.length : at, 0, found);
		}
		return found;
	};
	const byTitle = new Map(), rowsOf = facts.lanes.map(() => []);
	rowLane.forEach((lane, row) => rowsOf[lane].push(row));
	facts.lanes.forEach((lane, number) => {
		const [kind, title, label, all] = lane, key = spell(title);
		if (!byTitle.has(key)) {
			byTitle.set(key, { title: key, lanes: [], open: true, isThread: kind === "calls" || kind === "markers" || key === "All others" });
			groups.push(byTitle.get(key));
		}
		byTitle.get(key).lanes.push({ kind, label: spell(label), all, rows: rowsOf[number] });
	});
	const isThread = one => one.isThread;
	series.forEach(one => {
		const chart = { kind: "chart", series: one, rows: [] };
		if (one.kind === "memory") {
			chart.label = agentName(one.agent) || "no agent";
			chart.small = "peak " + size(one.most);
			group("Memory", isThread).lanes.unshift(chart);
		} else {
			chart.label = one.name;
			chart.small = ["max " + figure(one.most), one.agent < 0 ? "" : facts.agents[one.agent][0]].filter(Boolean).join(", ");
			group("Counters", isThread).lanes.push(chart);
		}
	});
	const memory = groups.find(one => one.title === "Memory");
	if (memory)
		memory.lanes.sort((a, b) => (b.kind === "chart") - (a.kind === "chart") ||
			(a.kind === "chart" ? a.series.agent - b.series.agent : 0));
}

/* Tops and heights; returns the height of all. */
const rowTop = new Float64Array(rows);
const heightOf = lane => lane.kind === "chart" ? CHART : Math.max(lane.rows.length * ROW, ROW) + 2 * PAD;
let contentHeight = 0;
function layOut() {
	let y = 0;
	for (const group of groups) {
		group.top = y;
		y += HEADER;
		for (const lane of group.lanes) {
			lane.top = y;
			lane.height = group.open ? heightOf(lane) : 0;
			lane.rows.forEach((row, i) => { rowTop[row] = group.open ? y + PAD + i * ROW : group.top + HEADER / 2 - BAR / 2; });
			y += lane.height;
		}
		group.height = y - group.top;
	}
	contentHeight = y;
}

function showLabels() {
	const labels = byId("labels"), narrow = labels.clientWidth < 120, across = byId("content").clientWidth;
	const at = (element, top, height, wide) => {
		if (wide)
			element.style.width = wide + "px";
		element.style.top = top + "px";
		element.style.height = height + "px";
		return element;
	};
	labels.replaceChildren(...groups.flatMap(group => [
		at(press({ "aria-expanded": String(group.open), title: group.title }, () => {
			group.open = !group.open;
			layOut();
			showLabels();
			resize();
			labels.querySelector('[title="' + CSS.escape(group.title) + '"]')?.focus();
		}, group.title), group.top, HEADER, across),
		...(group.open ? group.lanes : []).map(lane => at(make("span", { title: lane.label + (lane.small ? ", " + lane.small : "") },
			make("bdi", null, narrow ? lane.label.replace(/Agent /g, "A") : lane.label),
			lane.small ? make("small", null, lane.small) : null), lane.top + PAD - 1, lane.height - PAD)),
	]));
	byId("content").style.height = contentHeight + "px";
}

/* The lane at a height, or null. */
function laneAt(y) {
	for (const group of groups)
		if (group.open && y >= group.top + HEADER && y < group.top + group.height)
			return group.lanes.find(lane => y >= lane.top && y < lane.top + lane.height) || null;
	return null;
}
