/* SPDX-License-Identifier: MIT */
/* The search: by part of a name, or by /regular expression/. */

let matches = new Uint32Array(0);       /* events, in order of rows */
let inTime = null;                      /* the same in order of time */
let found = -1, query = "";

const searching = () => query !== "";
/* The search knows no others. */
const ofDrawn = facts.drawn < facts.all ? " of those drawn" : "";

function search(text) {
	query = "";
	matches = new Uint32Array(0);
	inTime = null;
	found = -1;
	byId("query").removeAttribute("aria-invalid");
	let says = "";
	if (text) {
		try {
			const test = matcher(text), hit = Uint8Array.from(names, name => test(name) ? 1 : 0);
			let n = 0;
			for (let i = 0; i < count; i++)
				n += hit[nameOf[i]];
			matches = new Uint32Array(n);
			for (let i = 0, to = 0; i < count; i++)
				if (hit[nameOf[i]])
					matches[to++] = i;
			query = text;
			says = plural(n, "event") + ofDrawn;
		} catch {
			byId("query").setAttribute("aria-invalid", "true");
			says = "not a regular expression";
		}
	}
	byId("found").textContent = says;
	byId("next").disabled = byId("previous").disabled = !matches.length;
	redraw();
}

/* The matches of a row, as places in matches. */
const matchesIn = row => [firstAtLeast(matches, 0, matches.length, rowFirst[row]),
	firstAtLeast(matches, 0, matches.length, rowFirst[row + 1])];

function step(by) {
	if (!matches.length)
		return;
	if (!inTime)
		inTime = matches.slice().sort((a, b) => start[a] - start[b] || a - b);
	let at = found >= 0 ? inTime.indexOf(found) + by : -1;
	if (found < 0) {
		at = inTime.findIndex(event => start[event] >= view.from);
		at = at < 0 ? 0 : at;
	}
	at = (at + inTime.length) % inTime.length;
	found = inTime[at];
	byId("found").textContent = number(at + 1) + " of " + number(inTime.length) + (ofDrawn ? " drawn" : "");
	pin(found);
	reveal(found);
}

let typing = 0;
byId("query").addEventListener("input", event => {
	clearTimeout(typing);
	typing = setTimeout(() => search(event.target.value), 120);
});
byId("search").addEventListener("submit", event => {
	event.preventDefault();
	clearTimeout(typing);
	if (byId("query").value !== query)
		search(byId("query").value);
	step(1);
});
byId("query").addEventListener("keydown", event => {
	if (event.key === "Enter" && event.shiftKey) {
		event.preventDefault();
		step(-1);
	} else if (event.key === "Escape") {
		event.target.value = "";
		search("");
		canvas.focus({ preventScroll: true });
	}
});
byId("next").addEventListener("click", () => step(1));
byId("previous").addEventListener("click", () => step(-1));
