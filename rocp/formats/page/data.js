/* SPDX-License-Identifier: MIT */
/* The recording as typed arrays: one element for each event, sorted by lane, row and time. */

const wordsOf = (column, Type) => new Type(bytesOf(column).buffer);

const DOMAIN = { HIP: 0, HSA: 1, MARKER: 2, KERNEL: 9, COPY: 10, ALLOCATION: 11, SCRATCH: 12 };
const SHAPE = { domain: 0, kind: 1, operation: 2, thread: 3, stream: 4, agent: 5, agent2: 6, queue: 7, kernel: 8, flags: 8,
	workgroup: 9, grid: 12, lds: 15, scratch: 16 };

const names = facts.names.map(spell);

const count = facts.drawn;
const start = numbersOf("start", new Float64Array(count));
const end = numbersOf("duration", new Float64Array(count));
const nameOf = numbersOf("name", new Uint32Array(count));
const shapeOf = numbersOf("shape", new Uint32Array(count));
const correlation = numbersOf("correlation", new Float64Array(count));
const ancestor = numbersOf("ancestor", new Float64Array(count));
const external = numbersOf("external", new Float64Array(count));
const domainOfShape = Uint8Array.from(facts.shapes, shape => shape[SHAPE.domain]);

/* Rows: the events first[r] .. first[r + 1] - 1; none overlap. */
const rowLane = [], rowFirst = [];
facts.lanes.forEach((lane, number) => {
	let at = rowFirst.length ? rowFirst[rowFirst.length - 1] : 0;
	if (!rowFirst.length)
		rowFirst.push(0);
	for (let i = 4; i < lane.length; i++) {
		rowLane.push(number);
		at += lane[i];
		rowFirst.push(at);
	}
});
const rows = rowLane.length;

/* busy[j] - busy[i]: how long the events from i to j - 1 of a row took together. */
const busy = new Float64Array(count + 1);
for (let row = 0; row < rows; row++) {
	let time = 0, id = 0;
	for (let i = rowFirst[row]; i < rowFirst[row + 1]; i++) {
		const zigzag = correlation[i];
		time = start[i] += time;
		id += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
		correlation[i] = id;
		busy[i + 1] = busy[i] + end[i];
		end[i] += time;
	}
}

/* Sizes and addresses are there for some domains alone. */
const bytes = new Float64Array(count);
const addressAt = new Uint32Array(count);       /* + 1 */
{
	const has = [], places = [];
	for (let i = 0; i < count; i++) {
		const domain = domainOfShape[shapeOf[i]];
		if (domain >= DOMAIN.KERNEL && domain <= DOMAIN.SCRATCH)
			has.push(i);
		if (domain === DOMAIN.COPY || domain === DOMAIN.ALLOCATION)
			addressAt[i] = places.push(i);
	}
	const values = numbersOf("bytes", new Float64Array(has.length));
	has.forEach((event, i) => { bytes[event] = values[i]; });
}
const address = wordsOf("address", BigUint64Array), address2 = wordsOf("address2", BigUint64Array);

const points = facts.series.reduce((sum, series) => sum + series[3], 0);
const pointStart = numbersOf("point-start", new Float64Array(points));
const pointEnd = numbersOf("point-length", new Float64Array(points));
const pointOf = numbersOf("point-of", new Uint32Array(points));
const pointValue = wordsOf("point-value", Float64Array), pointPeak = wordsOf("point-peak", Float64Array);
const series = facts.series.map(([kind, agent, name, n], number) => {
	const first = number ? facts.series.slice(0, number).reduce((sum, one) => sum + one[3], 0) : 0;
	let time = 0, level = 0, most = 0;
	for (let i = first; i < first + n; i++) {
		time = pointStart[i] += time;
		pointEnd[i] += time;
		if (kind === "memory") {
			pointPeak[i] += level;
			level = pointValue[i] += level;
		}
		most = Math.max(most, pointPeak[i]);
	}
	return { kind, agent, name: spell(name), first, last: first + n, most };
});

const extent = Math.max(facts.extent, 1);

/* The same from a place that is likely near. */
function firstAtLeastNear(array, from, to, limit) {
	let step = 1, low = from;
	while (low < to && array[low] < limit) {
		from = low + 1;
		low += step;
		step *= 2;
	}
	return firstAtLeast(array, from, Math.min(low, to), limit);
}

const rowOf = event => {
	let low = 0, high = rows;
	while (low + 1 < high) {
		const middle = (low + high) >>> 1;
		if (rowFirst[middle] <= event)
			low = middle;
		else
			high = middle;
	}
	return low;
};

/* Events by correlation, for what belongs together. */
let correlated = null;
function eventsOf(id) {
	if (!id)
		return [];
	if (!correlated) {
		const order = Array.from({ length: count }, (_, i) => i).filter(i => correlation[i]);
		correlated = Uint32Array.from(order).sort((a, b) => correlation[a] - correlation[b] || a - b);
	}
	let low = 0, high = correlated.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (correlation[correlated[middle]] < id)
			low = middle + 1;
		else
			high = middle;
	}
	const found = [];
	for (; low < correlated.length && correlation[correlated[low]] === id && found.length < 64; low++)
		found.push(correlated[low]);
	return found;
}
