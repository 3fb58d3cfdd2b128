/* SPDX-License-Identifier: MIT */
/* Memory as steps, counters as bars; the highest of a pixel is what it shows. */

function drawChart(lane, y) {
	const one = lane.series, tall = CHART - 12, floor = y + CHART - 5, most = one.most || 1;
	pen.fillStyle = pen.strokeStyle = colours.tones[one.kind === "memory" ? DOMAIN.ALLOCATION : DOMAIN.KERNEL][2];
	if (one.kind === "memory")
		drawSteps(one, floor, tall / most);
	else
		drawValues(one, floor, tall / most);
}

function drawSteps(one, floor, unit) {
	const from = view.from, scale = scaleOf();
	let i = firstAtLeast(pointStart, one.first, one.last, from);
	let level = i > one.first ? pointValue[i - 1] : 0, x = 0;
	const area = (to, high) => {
		if (to > x && level > 0)
			pen.fillRect(x, floor - level * unit, to - x, level * unit);
		if (high * unit > 0)
			pen.fillRect(Math.max(to - 0.5, 0), floor - high * unit, 1, high * unit);
		x = Math.max(to, 0);
	};
	while (i < one.last && pointStart[i] <= view.to) {
		const pixel = Math.floor((pointStart[i] - from) * scale), limit = from + (pixel + 1) / scale;
		let high = level;
		do
			high = Math.max(high, pointPeak[i++]);
		while (i < one.last && pointStart[i] < limit);
		area(pixel, high);
		level = pointValue[i - 1];
	}
	area(width, 0);
}

function drawValues(one, floor, unit) {
	const from = view.from, scale = scaleOf();
	let i = firstAtLeast(pointEnd, one.first, one.last, from);
	while (i < one.last && pointStart[i] <= view.to) {
		const x = (pointStart[i] - from) * scale, w = (pointEnd[i] - pointStart[i]) * scale;
		if (w >= WIDE) {
			pen.fillRect(x, floor - pointValue[i] * unit, w - (w > 4 ? 1 : 0), Math.max(pointValue[i] * unit, 0.5));
			i++;
			continue;
		}
		const pixel = Math.floor(x), limit = from + (pixel + 1) / scale;
		let high = 0;
		do
			high = Math.max(high, pointValue[i++]);
		while (i < one.last && pointStart[i] < limit && (pointEnd[i] - pointStart[i]) * scale < WIDE);
		if (high * unit > 0)
			pen.fillRect(pixel, floor - high * unit, 1, high * unit);
	}
}

/* What a chart says at a time, as text. */
function chartAt(lane, time) {
	const one = lane.series, slack = 2 / scaleOf();
	if (one.kind === "memory") {
		const i = firstAtLeast(pointStart, one.first, one.last, time + 1e-9) - 1;
		return size(i >= one.first ? pointValue[i] : 0) + " allocated";
	}
	const i = firstAtLeast(pointEnd, one.first, one.last, time - slack);
	if (i >= one.last || pointStart[i] > time + slack)
		return "";
	return figure(pointValue[i]) + (pointOf[i] > 1 ? ", the highest of " + number(pointOf[i]) : "");
}

/* The counters of a kernel: those measured while it ran. */
function countersOf(event) {
	const agent = facts.shapes[shapeOf[event]][SHAPE.agent], pairs = [];
	for (const one of series) {
		if (one.kind !== "counter" || one.agent !== agent)
			continue;
		const i = firstAtLeast(pointStart, one.first, one.last, start[event]);
		if (i < one.last && pointStart[i] === start[event] && pointOf[i] === 1)
			pairs.push([one.name, figure(pointValue[i])]);
	}
	return pairs;
}
