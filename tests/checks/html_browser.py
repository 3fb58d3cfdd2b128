# SPDX-License-Identifier: MIT
"""A browser without a window, driven through its DevTools pipe: what a person would do with a page."""
import base64
import json
import os
import select
import subprocess
import time


class Browser:
	def __init__(self, profile, program="chromium"):
		to_browser, ours_out = os.pipe()
		ours_in, from_browser = os.pipe()

		def fds():
			# Over a detour: one of the two may be 3 or 4 itself.
			reads, writes = os.dup(to_browser), os.dup(from_browser)
			os.dup2(reads, 3)
			os.dup2(writes, 4)

		self.process = subprocess.Popen(
			[program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			 "--user-data-dir=" + profile, "--remote-debugging-pipe", "--window-size=1400,1000"],
			preexec_fn=fds, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		os.close(to_browser)
		os.close(from_browser)
		self.out, self.into, self.rest, self.number = ours_out, ours_in, b"", 0
		self.events, self.before, self.session = [], [], None

	def receive(self, limit):
		while b"\0" not in self.rest:
			if not select.select([self.into], [], [], max(0, limit - time.monotonic()))[0]:
				raise TimeoutError("the browser does not answer")
			part = os.read(self.into, 1 << 20)
			if not part:
				raise EOFError("the browser has ended")
			self.rest += part
		line, self.rest = self.rest.split(b"\0", 1)
		return json.loads(line)

	def send(self, method, session=True, **params):
		self.number += 1
		message = {"id": self.number, "method": method, "params": params}
		if session and self.session:
			message["sessionId"] = self.session
		os.write(self.out, json.dumps(message).encode() + b"\0")
		limit = time.monotonic() + 60
		while True:
			answer = self.receive(limit)
			if answer.get("id") == self.number:
				if "error" in answer:
					raise RuntimeError(method + ": " + answer["error"]["message"])
				return answer["result"]
			self.events.append(answer)

	def open(self, path, width=1400, height=1000, words="", touch=False):
		"""A fresh page; waits until it says that it is ready."""
		if self.session:
			self.before = self.complaints()
			self.send("Page.close")
		target = self.send("Target.createTarget", session=False, url="about:blank")["targetId"]
		self.session = self.send("Target.attachToTarget", session=False, targetId=target, flatten=True)["sessionId"]
		self.events = []
		for domain in ("Page", "Runtime", "Log", "Network"):
			self.send(domain + ".enable")
		self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
		if touch:
			self.send("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
		self.send("Page.navigate", url="file://" + path + words)
		self.wait("document.documentElement?.dataset.ready")

	def js(self, expression):
		result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
		if "exceptionDetails" in result:
			raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
		return result["result"].get("value")

	def wait(self, expression, limit=40):
		limit += time.monotonic()
		while True:
			value = self.js(expression)
			if value:
				return value
			if time.monotonic() > limit:
				raise TimeoutError("never true: " + expression)
			time.sleep(0.02)

	def settle(self):
		"""Until the view has stopped moving."""
		was = None
		while True:
			self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
			now = self.js("[canvas.dataset.from, canvas.dataset.to].join()")
			if now == was:
				return [float(part) for part in now.split(",")]
			was = now

	def mouse(self, kind, x, y, **more):
		self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

	def click(self, x, y, count=1, modifiers=0):
		for kind in ("mousePressed", "mouseReleased"):
			self.mouse(kind, x, y, button="left", buttons=1, clickCount=count, modifiers=modifiers)

	def drag(self, x, y, to_x, to_y, modifiers=0):
		self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
		for i in range(1, 6):
			self.mouse("mouseMoved", x + (to_x - x) * i / 5, y + (to_y - y) * i / 5, button="left", buttons=1, modifiers=modifiers)
		self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)

	def key(self, key, text=None):
		text = key if text is None and len(key) == 1 else text
		more = {"text": text} if text else {}
		code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}.get(key)
		if code:
			more["windowsVirtualKeyCode"] = code
		self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
		self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

	def type(self, text):
		for letter in text:
			self.key(letter)

	def complaints(self):
		"""What all pages did wrong so far: exceptions, violated policies, anything fetched."""
		self.js("1")
		found = list(self.before)
		for event in self.events:
			if event.get("method") == "Runtime.exceptionThrown":
				found.append(json.dumps(event["params"]["exceptionDetails"])[:400])
			elif event.get("method") == "Log.entryAdded":
				found.append(event["params"]["entry"]["text"])
			elif event.get("method") == "Network.requestWillBeSent" and not event["params"]["request"]["url"].startswith("file:"):
				found.append("fetched " + event["params"]["request"]["url"])
		return found

	def picture(self, path):
		with open(path, "wb") as file:
			file.write(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

	def close(self):
		try:
			self.send("Browser.close", session=False)
			self.process.wait(10)
		except (OSError, EOFError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
			self.process.kill()
			self.process.wait()
