/* SPDX-License-Identifier: MIT */
/* What was recorded, with what settings, and what of it is missing. */

const version = n => n ? [Math.floor(n / 10000), Math.floor(n / 100) % 100, n % 100].join(".") : "";
const program = () => spell((facts.command[0] || "").replace(/.*\//, ""));
const when = () => facts.realtime ? new Date(facts.realtime) : null;
const dateOf = date => date.toISOString().replace("T", " ").replace(/\.\d+Z/, " UTC");
/* As a shell would need it. */
const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + spell(word).replace(/'/g, "'\\''") + "'";

function showCards() {
	const kernels = facts.tables.find(table => table[2] === DOMAIN.KERNEL);
	const copies = facts.tables.find(table => table[2] === DOMAIN.COPY);
	const gpus = facts.agents.filter(agent => agent[3]);
	const cards = [
		facts.ranks ? ["Job", plural(facts.ranks, "rank"), program()] :
			["Process", program() || "unknown", "pid " + facts.pid + (facts.session ? ", session " + facts.session : "")],
		["Recorded", duration(facts.length), when() ? dateOf(when()).replace(/:\d\d UTC/, " UTC") : ""],
		["Events", number(facts.tables.reduce((sum, table) => sum + table[3], 0)), plural(facts.lanes.length, "lane")],
		kernels ? ["Kernel time", duration(kernels[4]), plural(kernels[3], "launch", "launches")] : null,
		copies ? ["Copy time", duration(copies[4]), plural(copies[3], "copy", "copies")] : null,
		gpus.length ? ["GPUs", String(gpus.length), [...new Set(gpus.map(agent => (!facts.ranks && agent[1]) || agent[2]))].slice(0, 3).join(", ")] : null,
		["Host", facts.hostname || "unknown", facts.sdk ? "SDK " + version(facts.sdk) : ""],
	];
	byId("cards").replaceChildren(...cards.filter(Boolean).map(([term, value, small]) =>
		make("div", null, make("dt", null, term), make("dd", null, make("bdi", null, spell(value)), small ? make("small", null, spell(small)) : null))));
}

/* The sentences on what is missing, and how bad that is. */
function losses() {
	const says = [];
	let grade = "good";
	if (facts.lost) {
		grade = "bad";
		says.push(plural(facts.lost, "record") + (facts.lost === 1 ? " was" : " were") + " lost" + (facts.why ? ": " + spell(facts.why) : "") + ".");
	} else if (facts.why) {
		grade = "bad";
		says.push((facts.ranks ? "The job is not whole: " : "The recording stopped early: ") + spell(facts.why) + ".");
	}
	if (facts.missing) {
		grade = "bad";
		says.push(plural(facts.missing, "record") + (facts.missing === 1 ? " is" : " are") + " missing: by its own count the recording should have more, or some could not be read.");
	}
	if (facts.damage) {
		grade = "bad";
		says.push("The log is damaged: " + spell(facts.damage) + (/[.]$/.test(facts.damage) ? "" : "."));
	}
	if (!facts.closed) {
		grade = grade === "good" ? "warn" : grade;
		says.push("The log was not closed: the process ended or is still being recorded. Its last records may be missing.");
	}
	if (facts.odd) {
		grade = grade === "good" ? "warn" : grade;
		says.push(plural(facts.odd, "event") + (facts.odd === 1 ? " has" : " have") +
			" no usable times and cannot be drawn; the tables count " + (facts.odd === 1 ? "it" : "them") + ".");
	}
	if (!says.length && !facts.saysHowItEnded)
		return ["plain", ["This comes from a rocpd database, which does not say whether anything was lost."]];
	if (!says.length)
		says.push(facts.ranks ? "Nothing is missing: every rank is there, with all its records." : "Nothing was lost: every record of this recording is here.");
	return [grade, says];
}

function showState() {
	const [grade, says] = losses();
	byId("state").classList.add(grade);
	byId("state").replaceChildren(...says.map(text => make("p", null, text)));
	byId("notes").replaceChildren(...facts.notes.map(note => make("li", null, spell(note))));
	byId("notes").hidden = !facts.notes.length;
	byId("drawn").textContent = drawnSays().join(" ");
}

/* What of the recording the timeline shows, and what it leaves out. */
function drawnSays() {
	const notes = [], sampled = facts.drawn + facts.odd + facts.crowded < facts.all;
	if (sampled)
		notes.push(number(facts.drawn) + " of " + number(facts.all) + " events are drawn: the longest, and an even sample of the others.");
	else
		notes.push(plural(facts.drawn, "event") + " drawn.");
	if (facts.crowded)
		notes.push(plural(facts.crowded, "event") + (facts.crowded === 1 ? " is" : " are") +
			" not drawn because too many overlap on one lane.");
	if (sampled || facts.crowded)
		notes.push("The tables count all.");
	if (facts.sizeless)
		notes.push(plural(facts.sizeless, "kernel") + (facts.sizeless === 1 ? " is" : " are") +
			" drawn without grid, workgroup and memory sizes: there are too many different ones.");
	if (series.some(one => one.kind === "memory"))
		notes.push("Memory is what was allocated since the recording began" + (facts.freedUnknown ?
			"; " + plural(facts.freedUnknown, "free") + " of older memory " + (facts.freedUnknown === 1 ? "is" : "are") + " not in it" : "") + ".");
	if (facts.liveLeftOut)
		notes.push(plural(facts.liveLeftOut, "allocation") + " beyond a million at a time " + (facts.liveLeftOut === 1 ? "is" : "are") + " not in it.");
	if (facts.seriesLeftOut)
		notes.push("Charts of some counters are left out: there are too many.");
	return notes;
}

function showRun() {
	const part = (title, content) => content ? make("section", null, make("h3", null, title), content) : "";
	const about = list([facts.ranks ? ["Ranks", String(facts.ranks)] : ["Process", String(facts.pid)], ["Parent", facts.ppid ? String(facts.ppid) : ""],
		["Command", make("code", null, facts.command.map(quoted).join(" "))], ["Folder", spell(facts.folder)],
		["Host", spell(facts.hostname)], ["System", [facts.system, facts.release, facts.hardware].filter(Boolean).map(spell).join(" ")],
		["Started", when() ? dateOf(when()) : ""], ["Recorded", duration(facts.length)],
		["Session", facts.source === "log" && !facts.ranks ? String(facts.session) : ""], ["ROCprofiler-SDK", version(facts.sdk)],
		["Tool", spell(facts.toolVersion)], [facts.ranks ? "" : "Log", spell(facts.output || facts.path)], [facts.ranks ? "" : "Id", facts.id]].filter(line => line[0]));
	const options = facts.settings.length ? list(facts.settings.map(([name, value]) =>
		[spell(name), make("code", null, value === "" ? "(empty)" : spell(value))]), { class: "long" }) : null;
	const agents = facts.agents.length ? list(facts.agents.map(([label, name, product, isGpu, units, cores]) =>
		[spell(label), [isGpu ? "GPU" : "CPU", spell(name), spell(product), isGpu ? (units ? units + " compute units" : "") :
			(cores ? cores + " cores" : "")].filter(Boolean).join(", ")])) : null;
	byId("run").replaceChildren(part("This run", about), part("Options in effect", options), part("Agents", agents));
	byId("title").textContent = facts.ranks ? (program() ? program() + ", " : "") + plural(facts.ranks, "rank") + " on " + facts.hostname : (program() || "Process " + facts.pid) + (program() ? ", process " + facts.pid : "");
	document.title = byId("title").textContent + " \u2013 roclatch";
	byId("made").textContent = "Made by roclatch. This file needs no network and no other file.";
}

function showLegend() {
	const titles = { hip: "HIP", hsa: "HSA", marker: "Markers", other: "Other API", kernel: "Kernels", copy: "Copies", allocation: "Memory", scratch: "Scratch" };
	const used = new Set(facts.tables.map(table => classes[table[2]]));
	byId("legend").replaceChildren(...["kernel", "copy", "hip", "hsa", "marker", "other", "allocation", "scratch"].filter(name => used.has(name)).map(name => {
		const swatch = make("i");
		swatch.style.background = "var(--" + name + ")";
		return make("li", null, swatch, titles[name]);
	}));
}
