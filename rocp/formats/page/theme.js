/* SPDX-License-Identifier: MIT */
/* Light, dark, or as the system has it; each page brings readColours and redraw. */

const words = new URLSearchParams(location.hash.slice(1));
const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = ["light", "dark"].includes(words.get("theme")) ? words.get("theme") : "auto";

function applyTheme() {
	document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
	byId("theme-word").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme];
	byId("theme").setAttribute("aria-label", "Colours: " + { auto: "as the system", light: "light", dark: "dark" }[theme]);
	readColours();
	redraw();
}
byId("theme").addEventListener("click", () => {
	theme = { auto: "light", light: "dark", dark: "auto" }[theme];
	applyTheme();
});
dark.addEventListener("change", applyTheme);
