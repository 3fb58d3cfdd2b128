/* SPDX-License-Identifier: MIT */
/* Sums by name, of all events of the recording. */

const SHOWN = 100;
const times = { total: 2, least: 3, most: 4, mean: 5, deviation: 6 };
const tables = facts.tables.map(([key, title, domain, calls, total, all, rows_]) => ({
	key, title, calls, all,
	rows: rows_.map(row => ({ name: spell(row[0]), calls: row[1], share: total ? row[times.total] / total : 0,
		...Object.fromEntries(Object.entries(times).map(([name, at]) => [name, row[at]])) })),
	columns: [["name", "Name"], ["calls", domain === DOMAIN.KERNEL ? "Launches" : domain > DOMAIN.KERNEL ? "Count" : "Calls", number],
		["total", "Total", duration], ["share", "Share"], ["mean", "Average", duration], ["least", "Min", duration],
		["most", "Max", duration], ["deviation", "Std. dev.", duration]],
	sort: "total", down: true,
}));
if (facts.counters.length)
	tables.push({
		key: "counters", title: "Counters", calls: facts.counterRows, all: facts.counterRows,
		rows: facts.counters.map(([kernel, counter, agent, dispatches, sum, least, most]) => ({ name: spell(kernel), counter: spell(counter),
			agent, dispatches, mean: sum === null ? null : sum / dispatches, least, most, sum })),
		columns: [["name", "Kernel"], ["counter", "Counter"], ["agent", "Agent"], ["dispatches", "Dispatches", number], ["mean", "Average", figure],
			["least", "Min", figure], ["most", "Max", figure], ["sum", "Sum", figure]],
		sort: "name", down: false,
	});
let shownTable = tables[0], showAll = false;

const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en") : (a ?? -Infinity) - (b ?? -Infinity);

function cell(row, [key, , format]) {
	if (key === "name")
		return make("td", null, press({ class: "name", title: "Show in the timeline" }, () => {
			byId("query").value = queryFor(row.name);
			search(byId("query").value);
			byId("timeline-section").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
		}, make("bdi", null, row.name)));
	if (key !== "share")
		return make("td", null, format ? format(row[key]) : row[key]);
	const bar = make("i");
	bar.style.width = (100 * row.share).toFixed(2) + "%";
	return make("td", null, make("span", { class: "share", "aria-hidden": "true" }, bar), (100 * row.share).toFixed(1) + "\u00a0%");
}

function head([key, title]) {
	const sorted = shownTable.sort === key;
	return make("th", { scope: "col", "aria-sort": sorted ? (shownTable.down ? "descending" : "ascending") : null }, press(null, () => {
		shownTable.down = sorted ? !shownTable.down : key !== "name" && key !== "counter";
		shownTable.sort = key;
		showTable();
		byId("table").querySelectorAll("th button")[shownTable.columns.findIndex(one => one[0] === key)].focus({ preventScroll: true });
	}, title));
}

function showTable() {
	const filter = byId("filter").value.trim().toLowerCase(), { columns, sort, down } = shownTable;
	const fits = shownTable.rows.filter(row => !filter || row.name.toLowerCase().includes(filter) || row.counter?.toLowerCase().includes(filter));
	fits.sort((a, b) => (down ? -1 : 1) * order(a[sort], b[sort]) || order(a.name, b.name));
	const some = showAll ? fits : fits.slice(0, SHOWN);
	const left = shownTable.all - shownTable.rows.length;
	byId("table").setAttribute("aria-label", shownTable.title);
	byId("table").replaceChildren(make("table", null, make("thead", null, make("tr", null, ...columns.map(head))),
		make("tbody", null, ...some.map(row => make("tr", null, ...columns.map(column => cell(row, column)))))),
	!fits.length ? make("p", null, "No row has that in its name.") : "",
	some.length < fits.length ? make("p", null, number(some.length) + " of " + number(fits.length) + " rows.", press(null, () => {
		showAll = true;
		showTable();
	}, "Show all")) : "",
	left > 0 ? make("p", null, plural(left, "more name", "more names") + " with less time are not in this page.") : "");
}

function showTabs() {
	const choose = (table, focus) => {
		[shownTable, showAll] = [table, false];
		showTabs();
		showTable();
		if (focus)
			byId("tabs").querySelector("[aria-selected=true]").focus({ preventScroll: true });
	};
	byId("tabs").replaceChildren(...tables.map(table => press({ role: "tab", "aria-selected": String(table === shownTable), "aria-controls": "table",
		"data-key": table.key, tabindex: table === shownTable ? "0" : "-1" }, () => choose(table, true), table.title + " ", make("small", null, number(table.calls)))));
	byId("tabs").onkeydown = event => {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (by)
			choose(tables[(tables.indexOf(shownTable) + by + tables.length) % tables.length], true);
	};
}

function startTables() {
	if (!tables.length) {
		byId("table").replaceChildren(make("p", null, "No events were recorded."));
		return;
	}
	showTabs();
	showTable();
	byId("filter").addEventListener("input", showTable);
}
