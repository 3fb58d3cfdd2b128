/* SPDX-License-Identifier: MIT */
/* page.html#selftest: the page proves itself; results are attributes of #selftest. */

function selftest() {
	const out = byId("selftest"), wrong = [];
	const expect = (what, is, wanted) => {
		if (is !== wanted)
			wrong.push(what + ": " + is + " instead of " + wanted);
	};
	const began = performance.now();
	let truth = 0, asked = 0, searched = 0, looked = 0;
	for (let i = 0; i < stacks; i++)
		truth += stackSamples[i];
	for (const [thread, state] of [[-1, "running"], [-1, "blocked"], [Math.min(3, threads.length - 1), "all"], [-1, "all"]]) {
		choose(thread, state);
		let sum = 0;
		for (let i = 0; i < stacks; i++)
			sum += (thread < 0 || stackThread[i] === thread) && (state === "all" || (state === "running") === (stackCall[i] === 0)) ? stackSamples[i] : 0;
		expect("samples of " + thread + " " + state, total[0], sum);
		for (let node = 0; node < nodes; node++) {
			let below = own[node];
			for (let i = childFirst[node]; i < childFirst[node + 1]; i++)
				below += total[children[i]];
			if (below !== total[node])
				wrong.push("node " + node + " has " + total[node] + ", what is in it " + below);
		}
		/* Boxes of a line are apart, within their callers, and the pointer finds them. */
		const placeOf = new Map(boxes.flat().map(([node, x, wide]) => [node, [x, wide]]));
		boxes.forEach((line, depth) => line.forEach(([node, x, wide], i) => {
			const above = node ? placeOf.get(parentOf[node]) : null;
			if (i && x < line[i - 1][1] + line[i - 1][2] - 1e-6)
				wrong.push("boxes overlap in line " + depth);
			if (above && (x < above[0] - 1e-6 || x + wide > above[0] + above[1] + 1e-6))
				wrong.push("a box is outside of its caller in line " + depth);
			if (i % Math.ceil(line.length / 40) === 0) {
				expect("box at its middle", boxAt(x + wide / 2, depth * LINE + LINE / 2 - scroll.scrollTop), node);
				asked++;
			}
		}));
	}
	expect("all samples", total[0], truth);

	/* The search: the samples with a match anywhere in their stack. */
	const step = Math.max(1, Math.floor(names.length / 25));
	for (let i = 0; i < names.length; i += step) {
		const wanted = queryFor(names[i]);
		if (!names[i])
			continue;
		const test = matcher(wanted), named = names.map(test), [, sum] = findIn(wanted);
		let has = 0;
		for (let k = 0; k < stacks; k++)
			has += framesOf(stackPath[k]).some(name => named[name]) || (stackNode[k] > paths && test(labelOf(stackNode[k]))) ? stackSamples[k] : 0;
		expect("samples with " + names[i].slice(0, 60), sum, has);
		searched++;
	}

	/* The table: functions themselves are all samples that have one. */
	const rows = functionRows();
	let withStack = 0, endsOnly = 0;
	for (let i = 0; i < stacks; i++) {
		withStack += stackPath[i] ? stackSamples[i] : 0;
		endsOnly += stackPath[i] && isEnd(stackPath[i]) ? stackSamples[i] : 0;
	}
	expect("self of all functions", rows.reduce((sum, row) => sum + row.self, 0), withStack - endsOnly);
	expect("totals above the whole", rows.filter(row => row.total > total[0] || row.self > row.total).length, 0);

	/* Stretches of a thread are in order, and the pointer finds them. */
	for (let thread = 0; thread < threads.length; thread++)
		for (let i = stretchFirst[thread] + 1; i < stretchFirst[thread + 1]; i++)
			if (from[i] < until[i - 1])
				wrong.push("stretches of thread " + thread + " overlap");
	for (let i = 0; i < stretches; i += Math.max(1, Math.floor(stretches / 300))) {
		const long = Math.max(until[i] - from[i], NARROWEST), line = sequence.indexOf(stretchThread[i]);
		look(from[i] - long, until[i] + long);
		const at = stretchAt(xOf((from[i] + until[i]) / 2), line * ROW + ROW / 2 - times.scrollTop);
		if (at !== i && !(at >= 0 && from[at] <= until[i] && until[at] >= from[i]))
			wrong.push("at stretch " + i + " there is " + at);
		looked++;
	}
	fitTime();
	const drew = performance.now();
	drawFlame();
	drawStates();
	Object.assign(out.dataset, { nodes, stacks, stretches, threads: threads.length, asked, searched, looked, wrong: wrong.length,
		drawn: (performance.now() - drew).toFixed(1), took: (drew - began).toFixed(0), loaded: loaded.toFixed(0) });
	out.textContent = wrong.slice(0, 20).join("\n");
	out.hidden = false;
}
