/* SPDX-License-Identifier: MIT */
/* page.html#selftest: the page proves itself and says how fast it draws; results are attributes of #selftest. */

/* How far apart frames are while the view zooms in and out; asked for as fast as the screen goes. */
async function framesApart(frames) {
	const apart = [];
	let before = await new Promise(requestAnimationFrame);
	for (let i = 0; i < frames; i++) {
		zoom(i < frames / 2 ? 0.93 : 1 / 0.93, extent * 0.4, true);
		const now = await new Promise(requestAnimationFrame);
		apart.push(now - before);
		before = now;
	}
	return apart.sort((a, b) => a - b);
}

async function selftest() {
	const out = byId("selftest"), wrong = [];
	const expect = (what, is, wanted) => {
		if (is !== wanted)
			wrong.push(what + ": " + is + " instead of " + wanted);
	};
	const open = groups.flatMap(group => group.open ? group.lanes.flatMap(lane => lane.rows) : []);

	/* A row's events are in order and do not overlap. */
	let disorder = 0;
	for (let row = 0; row < rows; row++)
		for (let i = rowFirst[row] + 1; i < rowFirst[row + 1]; i++)
			disorder += start[i] < end[i - 1] ? 1 : 0;
	expect("overlaps in rows", disorder, 0);
	expect("events in rows", rowFirst[rows] || 0, count);

	/* Merging loses none: what bars stand for is what is in view. */
	const times = [], views = [];
	let worst = 0, drawnAtFit = 0;
	for (let i = 0; i < 40; i++) {
		const span = extent * Math.pow(0.75, i), centre = extent * (0.5 + 0.3 * Math.sin(i));
		if (span >= NARROWEST)
			views.push([Math.max(0, centre - span / 2), Math.max(0, centre - span / 2) + span]);
	}
	for (const [from, to] of views) {
		look(from, to, true);
		let seen = 0, truth = 0;
		for (const row of open) {
			seen += eachBar(null, rowFirst[row], rowFirst[row + 1], () => {}, () => {});
			for (let i = rowFirst[row]; i < rowFirst[row + 1]; i++)
				truth += end[i] >= view.from && start[i] <= view.to ? 1 : 0;
		}
		expect("events in the view from " + from, seen, truth);
		const began = performance.now();
		drawAll();
		times.push(performance.now() - began);
		worst = Math.max(worst, lastDraw.bars);
	}
	fit(true);
	drawAll();
	drawnAtFit = lastDraw.events;

	/* The pointer finds what is drawn. */
	let asked = 0;
	for (let i = 0; i < count; i += Math.max(1, Math.floor(count / 500))) {
		const row = rowOf(i), long = Math.max(end[i] - start[i], 1);
		look(start[i] - long * 3, start[i] + long * 4, true);
		const at = eventAt(xOf((start[i] + end[i]) / 2), rowTop[row] + BAR / 2);
		if (at !== i && !(start[at] === start[i] && end[at] === end[i]))
			wrong.push("at event " + i + " there is " + at);
		asked++;
	}

	/* The search finds every event of a name and no other. */
	const tally = new Map();
	for (let i = 0; i < count; i++)
		tally.set(nameOf[i], (tally.get(nameOf[i]) || 0) + 1);
	for (const name of [...tally.keys()].slice(0, 20)) {
		const part = names[name].toLowerCase();
		let truth = 0;
		tally.forEach((n, other) => { truth += names[other].toLowerCase().includes(part) ? n : 0; });
		if (names[name].startsWith("/") || !names[name])
			continue;
		search(names[name]);
		expect("matches of " + names[name].slice(0, 60), matches.length, truth);
	}
	search("");

	/* What belongs together has one correlation. */
	let pairs = 0;
	for (let i = 0; i < count; i += Math.max(1, Math.floor(count / 200))) {
		for (const other of eventsOf(correlation[i])) {
			pairs += other !== i ? 1 : 0;
			expect("correlation of " + other, correlation[other], correlation[i]);
		}
	}
	fit(true);
	times.sort((a, b) => a - b);
	const apart = await framesApart(40);
	fit(true);
	Object.assign(out.dataset, { events: count, asked, pairs, fit: drawnAtFit, views: views.length, bars: worst, wrong: wrong.length,
		median: times[times.length >> 1].toFixed(2), slowest: times[times.length - 1].toFixed(2), loaded: loaded.toFixed(0),
		frame: apart[apart.length >> 1].toFixed(1), slowFrame: apart[Math.floor(apart.length * 0.95)].toFixed(1) });
	out.textContent = wrong.slice(0, 20).join("\n");
	out.hidden = false;
}
