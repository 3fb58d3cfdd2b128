/* SPDX-License-Identifier: MIT */
/* What a page brings with it: its facts, and columns of numbers. */

const byId = id => document.getElementById(id);
const take = id => {
	const element = byId(id), text = element ? element.textContent : "";
	if (element)
		element.remove();
	return text;
};
const facts = JSON.parse(take("facts"));

function bytesOf(column) {
	const text = take("column-" + column);
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* Base-128 numbers into an array; those beyond 2^53 lose their last digits. */
function numbersOf(column, into) {
	const bytes = bytesOf(column);
	let at = 0;
	for (let i = 0; i < into.length; i++) {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte >= 128);
		into[i] = value;
	}
	return into;
}

/* What a name may contain that would not show, or would turn the text around it, is spelled out. */
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const spell = text => text.replace(hidden, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/* The first of [from, to) for which the array's value is at least (or above) the limit. */
function firstAtLeast(array, from, to, limit) {
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (array[middle] < limit)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}
