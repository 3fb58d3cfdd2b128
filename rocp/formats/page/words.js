/* SPDX-License-Identifier: MIT */
/* Numbers as people read them, and elements; text goes into the page as text alone. */

const digits = (value, unit) => {
	const whole = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
	return value.toFixed(whole) + "\u00a0" + unit;
};

function duration(ns) {
	const size = Math.abs(ns);
	if (size < 1000)
		return (Number.isInteger(ns) ? ns : ns.toFixed(1)) + "\u00a0ns";
	if (size < 1e6)
		return digits(ns / 1e3, "\u00b5s");
	if (size < 1e9)
		return digits(ns / 1e6, "ms");
	if (size < 60e9)
		return digits(ns / 1e9, "s");
	if (size < 3600e9)
		return Math.floor(ns / 60e9) + "\u00a0min " + digits(ns % 60e9 / 1e9, "s");
	return Math.floor(ns / 3600e9) + "\u00a0h " + Math.floor(ns % 3600e9 / 60e9) + "\u00a0min";
}

/* When something happened, from the start of the recording. */
const moment = time => duration(time - facts.before);

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const number = value => grouped.format(value);
const figure = value => value === null ? "\u2013" : Number.isInteger(value) ? number(value) :
	new Intl.NumberFormat("en", { maximumSignificantDigits: 5 }).format(value);
const plural = (n, one, many) => number(n) + " " + (n === 1 ? one : many || one + "s");

function size(n) {
	if (n < 1024)
		return number(n) + "\u00a0B";
	const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
	let unit = -1;
	for (; n >= 1024 && unit < units.length - 1; unit++)
		n /= 1024;
	return digits(n, units[unit]);
}

/* make("p", { class: "note" }, "text", element, ...) */
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
	return element;
}

const press = (attributes, action, ...children) => {
	const button = make("button", { type: "button", ...attributes }, ...children);
	button.addEventListener("click", action);
	return button;
};

/* [[term, description], ...]; those without a description are left out. */
const list = (pairs, attributes) => make("dl", attributes, ...pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
	.flatMap(([term, value]) => [make("dt", null, term), make("dd", null, typeof value === "string" ? make("bdi", null, value) : value)]));

const agentName = index => index < 0 ? "" : [facts.agents[index][0], facts.agents[index][1]].filter(Boolean).join("  ");

/* Whether a name is meant by a search: by part of it, or by /regular expression/. */
function matcher(text) {
	const regex = /^\/(.+?)\/?$/.exec(text);
	if (regex && text.length > 1) {
		const pattern = new RegExp(regex[1], "i");
		return name => pattern.test(name);
	}
	const part = text.toLowerCase();
	return name => name.toLowerCase().includes(part);
}

/* A query that finds this name, whatever it contains. */
const queryFor = name => name.startsWith("/") ? "/" + name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "/" : name;
