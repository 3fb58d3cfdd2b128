/* SPDX-License-Identifier: MIT */
/* Functions, where threads are blocked, and threads, in numbers: of what is chosen. */

const SHOWN = 100;
const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en") : a - b;
const part = (key, title) => [key, title, (value, row) => number(value) + "\u00a0\u00a0" + share(value, row.of)];

function functionRows() {
	const self = new Float64Array(names.length), all = new Float64Array(names.length);
	for (let node = 1; node <= paths; node++) {
		self[functionOf[node]] += selfOf(node);
		all[functionOf[node]] += isOutermost[node] ? total[node] : 0;
	}
	return names.map((name, i) => ({ name, module: modules[moduleOf[i]], self: self[i], total: all[i], of: total[0], share: total[0] ? self[i] / total[0] : 0 }))
		.filter(row => row.total && (row.module || !row.name.startsWith("[")));
}

function blockedRows() {
	const rows = new Map();
	leaves.forEach(([path, call], i) => {
		const value = own[paths + 1 + i], name = path ? names[functionOf[path]] : "(no stack)", key = call + "\n" + (path ? functionOf[path] : -1);
		if (!value || !call)
			return;
		if (!rows.has(key))
			rows.set(key, { name, module: path ? modules[moduleOf[functionOf[path]]] : "", call: calls[call], total: 0, of: total[0] });
		rows.get(key).total += value;
	});
	return [...rows.values()].map(row => ({ ...row, share: row.of ? row.total / row.of : 0 }));
}

const threadRows = () => threads.filter(thread => chosen.thread < 0 || thread.number === chosen.thread).map(thread => ({ name: thread.title,
	thread: thread.number, seen: thread.seen, run: thread.run, of: thread.seen, share: thread.seen ? thread.states[0] / thread.seen : 0,
	...Object.fromEntries(STATES.map((state, i) => [state, thread.states[i]])) }));

const tables = [
	{ key: "functions", title: "Functions", rows: functionRows, sort: "self", down: true,
		columns: [["name", "Function"], ["module", "Module"], part("self", "Self"), ["share", "Share"], part("total", "Total")] },
	{ key: "blocked", title: "Blocked in", rows: blockedRows, sort: "total", down: true,
		columns: [["name", "Function"], ["module", "Module"], ["call", "Call"], part("total", "Samples"), ["share", "Share"]] },
	{ key: "threads", title: "Threads", rows: threadRows, sort: "running", down: true,
		columns: [["name", "Thread"], ["seen", "Samples", number], part("running", "Running"), ["share", "Share"], part("sleeping", "Sleeping"),
			part("waiting", "Waiting"), part("stopped", "Stopped"), ["run", "CPU time", duration]] },
];
let shownTable = tables[0], showAll = false;

function cell(row, [key, , format]) {
	if (key === "name")
		return make("td", null, press({ class: "name", title: row.thread === undefined ? "Show in the flame graph" : "Its stacks" }, () => {
			if (row.thread !== undefined) {
				choose(row.thread, chosen.state);
			} else {
				byId("query").value = queryFor(row.name);
				search(byId("query").value);
			}
			byId("flame-section").scrollIntoView({ block: "start" });
		}, make("bdi", null, row.name)));
	if (key !== "share")
		return make("td", null, format ? format(row[key], row) : make("bdi", null, row[key]));
	const bar = make("i");
	bar.style.width = (100 * row.share).toFixed(2) + "%";
	return make("td", null, make("span", { class: "share", "aria-hidden": "true" }, bar), (100 * row.share).toFixed(1) + "\u00a0%");
}

function head([key, title]) {
	const sorted = shownTable.sort === key;
	return make("th", { scope: "col", "aria-sort": sorted ? (shownTable.down ? "descending" : "ascending") : null }, press(null, () => {
		shownTable.down = sorted ? !shownTable.down : !["name", "module", "call"].includes(key);
		shownTable.sort = key;
		showTable();
		byId("table").querySelectorAll("th button")[shownTable.columns.findIndex(one => one[0] === key)].focus({ preventScroll: true });
	}, title));
}

function showTable() {
	const filter = byId("filter").value.trim().toLowerCase(), { columns, sort, down } = shownTable;
	const fits = shownTable.rows().filter(row => !filter || [row.name, row.module, row.call].some(text => text?.toLowerCase().includes(filter)));
	fits.sort((a, b) => (down ? -1 : 1) * order(a[sort], b[sort]) || order(a.name, b.name));
	const some = showAll ? fits : fits.slice(0, SHOWN);
	byId("table").setAttribute("aria-label", shownTable.title);
	byId("table").replaceChildren(make("table", null, make("thead", null, make("tr", null, ...columns.map(head))),
		make("tbody", null, ...some.map(row => make("tr", null, ...columns.map(column => cell(row, column)))))),
	!fits.length ? make("p", null, filter ? "No row has that in it." : "There is nothing.") : "",
	some.length < fits.length ? make("p", null, number(some.length) + " of " + number(fits.length) + " rows.", press(null, () => {
		showAll = true;
		showTable();
	}, "Show all")) : "");
}

function showTabs(focus) {
	const open = table => {
		[shownTable, showAll] = [table, false];
		showTabs(true);
		showTable();
	};
	byId("tabs").replaceChildren(...tables.map(table => press({ role: "tab", "aria-selected": String(table === shownTable), "aria-controls": "table",
		"data-key": table.key, tabindex: table === shownTable ? "0" : "-1" }, () => open(table), table.title)));
	if (focus)
		byId("tabs").querySelector("[aria-selected=true]").focus({ preventScroll: true });
	byId("tabs").onkeydown = event => {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (by)
			open(tables[(tables.indexOf(shownTable) + by + tables.length) % tables.length]);
	};
}
byId("filter").addEventListener("input", showTable);
