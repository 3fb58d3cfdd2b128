/* SPDX-License-Identifier: MIT */
/* The profile as typed arrays.  Node 0 is the whole; then call paths, callers first; then what they are blocked in. */

const STATES = ["running", "sleeping", "waiting", "stopped", "gone"], STATE_CLASS = ["hip", "allocation", "marker", "copy", "other"];
const names = facts.names.map(spell), modules = facts.modules.map(spell), calls = facts.calls.map(spell);
const threads = facts.threads.map(([tid, name, run, ...states], number) => ({ number, tid, name: spell(name), run, states,
	seen: states.reduce((sum, n) => sum + n, 0), title: (spell(name) || "thread") + " " + tid }));

const moduleOf = numbersOf("module", new Uint32Array(names.length));
const paths = facts.paths, stacks = facts.stacks;
const stackThread = numbersOf("stack-thread", new Uint32Array(stacks)), stackPath = numbersOf("stack-path", new Uint32Array(stacks));
const stackCall = numbersOf("stack-call", new Uint32Array(stacks)), stackSamples = numbersOf("stack-samples", new Float64Array(stacks));

/* A stack that is blocked, and one that has no function, ends in a node of its own. */
const stackNode = new Uint32Array(stacks), leafOf = new Map(), leaves = [];
for (let i = 0; i < stacks; i++) {
	const key = stackPath[i] * calls.length + stackCall[i];
	if (!stackCall[i] && stackPath[i]) {
		stackNode[i] = stackPath[i];
		continue;
	}
	if (!leafOf.has(key)) {
		leafOf.set(key, paths + 1 + leaves.length);
		leaves.push([stackPath[i], stackCall[i]]);
	}
	stackNode[i] = leafOf.get(key);
}
const nodes = 1 + paths + leaves.length;
const parentOf = new Uint32Array(nodes), functionOf = new Int32Array(nodes).fill(-1), depthOf = new Uint16Array(nodes);
numbersOf("parent", new Uint32Array(paths)).forEach((back, i) => { parentOf[i + 1] = back ? i + 1 - back : 0; });
numbersOf("function", new Uint32Array(paths)).forEach((name, i) => { functionOf[i + 1] = name; });
leaves.forEach(([path], i) => { parentOf[paths + 1 + i] = path; });
for (let node = 1; node < nodes; node++)
	depthOf[node] = depthOf[parentOf[node]] + 1;

const isLeaf = node => node > paths;
const labelOf = node => !node ? "all" : isLeaf(node) ? "[" + calls[leaves[node - paths - 1][1]] + "]" : names[functionOf[node]];
const moduleName = node => functionOf[node] < 0 ? "" : modules[moduleOf[functionOf[node]]];

const childFirst = new Uint32Array(nodes + 1), children = new Uint32Array(nodes);
for (let node = 1; node < nodes; node++)
	childFirst[parentOf[node] + 1]++;
for (let node = 0; node < nodes; node++)
	childFirst[node + 1] += childFirst[node];
{
	const next = childFirst.slice();
	for (let node = 1; node < nodes; node++)
		children[next[parentOf[node]]++] = node;
}

/* Of a function that calls itself only the outermost counts. */
const isOutermost = new Uint8Array(nodes);
for (let node = 1; node <= paths; node++) {
	let above = parentOf[node];
	while (above && functionOf[above] !== functionOf[node])
		above = parentOf[above];
	isOutermost[node] = above ? 0 : 1;
}

/* What is chosen: samples that end in a node, and with all below it. */
const chosen = { thread: -1, state: "all" };
const own = new Float64Array(nodes), total = new Float64Array(nodes);
const isChosen = i => (chosen.thread < 0 || stackThread[i] === chosen.thread) &&
	(chosen.state === "all" || (chosen.state === "running") === !stackCall[i]);

function weigh() {
	own.fill(0);
	for (let i = 0; i < stacks; i++)
		if (isChosen(i))
			own[stackNode[i]] += stackSamples[i];
	total.set(own);
	for (let node = nodes - 1; node > 0; node--)
		total[parentOf[node]] += total[node];
	for (let node = 0; node < nodes; node++)
		if (childFirst[node + 1] - childFirst[node] > 1)
			children.subarray(childFirst[node], childFirst[node + 1]).sort((a, b) => total[b] - total[a] || a - b);
}

/* What a function does itself: also what it is blocked in. */
function selfOf(node) {
	let sum = own[node];
	for (let i = childFirst[node]; node && i < childFirst[node + 1]; i++)
		sum += isLeaf(children[i]) ? own[children[i]] : 0;
	return sum;
}

const share = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(1) + "\u00a0%";
const plainSamples = n => plural(n, "sample");

/* Stretches: those of thread t are stretchFirst[t] .. stretchFirst[t + 1] - 1, in order of time. */
const stretches = facts.stretches;
const from = numbersOf("from", new Float64Array(stretches)), until = numbersOf("length", new Float64Array(stretches));
const stretchThread = numbersOf("thread", new Uint32Array(stretches)), stretchPath = numbersOf("path", new Uint32Array(stretches));
const stretchCall = numbersOf("call", new Uint32Array(stretches)), stretchState = numbersOf("state", new Uint8Array(stretches));
const stretchSamples = numbersOf("samples", new Float64Array(stretches));
const stretchFirst = new Uint32Array(threads.length + 1);
for (let i = 0; i < stretches; i++) {
	stretchFirst[stretchThread[i] + 1]++;
	from[i] += i && stretchThread[i - 1] === stretchThread[i] ? from[i - 1] : 0;
	until[i] += from[i];
}
for (let thread = 0; thread < threads.length; thread++)
	stretchFirst[thread + 1] += stretchFirst[thread];
const extent = Math.max(facts.duration, until.reduce((most, one) => Math.max(most, one), 1));

/* Functions of a call path, innermost first. */
function framesOf(path) {
	const frames = [];
	for (let node = path; node; node = parentOf[node])
		frames.push(functionOf[node]);
	return frames;
}
