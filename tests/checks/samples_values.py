# SPDX-License-Identifier: MIT
"""samples_values.py FOLDER: the files of made profiles, each read by other means; a line for each thing that holds or does not."""
import collections
import functools
import gc
import json
import re
import subprocess
import sys

gc.disable()            # there is much to keep, and nothing to look for
folder = sys.argv[1]
NAMES = ("small", "hostile", "empty", "unsampled", "once", "large")


def check(sentence):
	"""The decorated function is run at once; what it raises or asserts is told."""
	def run(test):
		try:
			test()
			print("ok " + sentence, flush=True)
		except Exception as error:      # noqa: BLE001 - whatever it is, the other checks go on
			print("not ok %s\n%s: %s" % (sentence, type(error).__name__, str(error)[:2000]), flush=True)
	return run


def same(is_, wanted, what=""):
	assert is_ == wanted, "%s %r instead of %r" % (what, is_, wanted)


def read(name, ending):
	with open("%s/%s%s" % (folder, name, ending), encoding="utf-8") as file:
		return file.read()


profiles = {name: json.loads(read(name, ".json")) for name in NAMES}


def label(frame):
	"""As people see it, from what the json says."""
	if "end" in frame:
		return "[%s]" % frame["end"]
	if "function" in frame:
		return frame["demangled"]
	return frame["token"]


def state(doing):
	"""The innermost element: what a thread that does not run, or has no stack, is in."""
	if doing["state"] == "running":
		return [] if "stack" in doing else ["[running]"]
	return ["[%s]" % doing.get("syscall", doing["state"])]


def elements(profile, doing):
	frames = profile["stacks"][doing["stack"]] if "stack" in doing else []
	return [label(profile["frames"][i]) for i in reversed(frames)] + state(doing)


PLAIN = {ord(";"): ":", 0x7f: "?", **{c: "?" for c in range(0x20)}}


@functools.lru_cache(None)
def plain(text):
	return text.translate(PLAIN)


@check("the json of the small profile has the values that were put into it")
def _():
	profile = profiles["small"]
	same((profile["pid"], profile["rate"], profile["ticks"], profile["late"], profile["samples"]), (4711, 10.0, 10, 1, 20))
	same([(one["tid"], one["name"], one["run_ns"]) for one in profile["threads"]], [(4711, "solver", 650000000), (4712, "worker", 0)])
	same([one["in_state"]["running"] for one in profile["threads"]], [7, 0])
	same(sorted((one["thread"], one["state"], one.get("syscall"), one["samples"]) for one in profile["buckets"] if "stack" in one),
		[(0, "running", None, 2), (0, "running", None, 4), (0, "sleeping", "futex", 3), (1, "waiting", "read", 10)])
	reads = [one for one in profile["buckets"] if one.get("syscall") == "read"][0]
	inner, end = (profile["frames"][i] for i in profile["stacks"][reads["stack"]])
	same((inner["module"], inner["vaddr"], inner["how"], "function" in inner), ("libx.so", "0x1a2b", "top", False))
	same(inner["token"], "libx.so+0x1a2b[00112233445566778899aabbccddeeff01234567]")
	same(end["end"], "no unwind table")
	same([(one["from_ns"], one["to_ns"], one["samples"]) for one in profile["stretches"]],
		[(0, 900000000, 10), (0, 300000000, 4), (400000000, 500000000, 2), (600000000, 600000000, 1), (700000000, 900000000, 3)])


@check("the json of every profile is consistent: sums, indexes, no frame and no stack that nothing refers to")
def _():
	for name, profile in profiles.items():
		same(sum(one["samples"] for one in profile["buckets"]), profile["samples"], name)
		same(sum(sum(one["in_state"].values()) for one in profile["threads"]), profile["samples"], name)
		referred = {one["stack"] for one in profile["buckets"] + profile["stretches"] if "stack" in one}
		same(referred, set(range(len(profile["stacks"]))), name)
		same({i for stack in profile["stacks"] for i in stack}, set(range(len(profile["frames"]))), name)
		assert all(0 <= one["thread"] < len(profile["threads"]) for one in profile["buckets"] + profile["stretches"])
	large = profiles["large"]
	assert len(large["threads"]) == 2000 and len(large["stacks"]) == 10000, (len(large["threads"]), len(large["stacks"]))


@check("what has no name has a token of its library, address and build id")
def _():
	frames = [one for one in profiles["large"]["frames"] if "token" in one]
	same([one["token"] for one in frames], ["%(module)s+%(vaddr)s[%(build_id)s]" % one for one in frames])
	assert len(frames) > 20 and not any("function" in one for one in frames)


@check("names are demangled as the compiler's own tool does it")
def _():
	frames = [one for one in profiles["large"]["frames"] if "function" in one]
	said = subprocess.run(["c++filt"], input="\n".join(one["function"] for one in frames), capture_output=True, text=True, check=True)
	same([one["demangled"] for one in frames], said.stdout.splitlines()[:len(frames)])
	assert len(frames) > 500 and any("vector<double" in one["demangled"] for one in frames)


@check("the folded lines are the stacks of the json")
def _():
	for name, profile in profiles.items():
		wanted = collections.Counter()
		for one in profile["buckets"]:
			thread = profile["threads"][one["thread"]]
			wanted[";".join(plain(part) for part in ["%s-%d" % (thread["name"], thread["tid"])] + elements(profile, one))] += one["samples"]
		is_ = collections.Counter()
		for line in read(name, ".folded").splitlines():
			stack, count = line.rsplit(" ", 1)
			assert stack not in is_, "twice: " + stack
			is_[stack] = int(count)
		same(is_, wanted, name)
	assert "\x1b" not in read("hostile", ".folded")


@check("what speedscope reads follows its schema, and its samples are the stretches of the json in their order")
def _():
	for name, profile in profiles.items():
		scope = json.loads(read(name, ".speedscope.json"))
		same(scope["$schema"], "https://www.speedscope.app/file-format-schema.json")
		same(set(scope) - {"$schema", "shared", "profiles", "name", "exporter", "activeProfileIndex"}, set())
		frames = scope["shared"]["frames"]
		assert all(isinstance(one["name"], str) and set(one) <= {"name", "file", "line", "col"} for one in frames)
		same(len(scope["profiles"]), len({one["thread"] for one in profile["buckets"]}), name)
		by_thread = collections.defaultdict(list)
		for one in sorted(profile["stretches"], key=lambda one: one["from_ns"]):
			by_thread[one["thread"]].append((elements(profile, one), one["samples"]))
		for one, thread in zip(scope["profiles"], sorted(by_thread)):
			same(set(one), {"type", "name", "unit", "startValue", "endValue", "samples", "weights"})
			same((one["type"], one["unit"], one["startValue"]), ("sampled", "seconds", 0.0))
			same(one["name"], "%s-%d" % (profile["threads"][thread]["name"], profile["threads"][thread]["tid"]))
			same(len(one["samples"]), len(one["weights"]))
			same([[frames[i]["name"] for i in stack] for stack in one["samples"]], [stack for stack, _ in by_thread[thread]])
			same([round(weight * profile["rate"], 6) for weight in one["weights"]], [samples for _, samples in by_thread[thread]])
			assert abs(sum(one["weights"]) - one["endValue"]) < 1e-6


def unquoted(text):
	"""Text as protoc writes it."""
	return re.sub(rb"\\([0-7]{3}|.)", lambda match: bytes([int(match[1], 8)]) if len(match[1]) == 3 else
		{b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(match[1], match[1]), text.encode()).decode("utf-8", "surrogateescape")


def decoded(name):
	"""The packets: { field: [values] }, messages within likewise."""
	with open("%s/%s.pftrace" % (folder, name), "rb") as file:
		said = subprocess.run(["protoc", "--proto_path=tests/checks", "--decode=Trace", "tests/checks/samples.proto"], stdin=file, capture_output=True, check=True)
	top = collections.defaultdict(list)
	open_ = [top]
	for line in said.stdout.decode().splitlines():
		key, has_value, value = line.lstrip().partition(": ")
		if has_value:
			open_[-1][key].append(unquoted(value[1:-1]) if value[0] == '"' else int(value) if value.lstrip("-").isdigit() else value)
		elif key == "}":
			open_.pop()
		else:
			key = key[:-2]          # " {"
			within = collections.defaultdict(list)
			open_[-1][key].append(within)
			open_.append(within)
		assert not key[0].isdigit(), "a field that is not Perfetto's: " + line
	return top["packet"]


def interned_of(packets):
	tables = collections.defaultdict(dict)
	for packet in packets:
		for part in packet["interned_data"]:
			for table, entries in part.items():
				for entry in entries:
					assert entry["iid"][0] not in tables[table], "an id twice"
					tables[table][entry["iid"][0]] = entry
	return tables


@check("the trace has a track of each thread, its states as slices, and a sample for each stack that was taken")
def _():
	for name, profile in profiles.items():
		packets = decoded(name)
		tables = interned_of(packets)
		same([clock["timestamp"] for clock in packets[0]["clock_snapshot"][0]["clocks"]], [[profile["began_real_ns"]]])
		threads = {one["uuid"][0]: one["thread"][0] for packet in packets for one in packet["track_descriptor"] if one["thread"]}
		same([(one["tid"][0], one["thread_name"][0]) for one in threads.values()], [(one["tid"], one["name"]) for one in profile["threads"]], name)
		begun, slices, samples = {}, collections.Counter(), collections.Counter()
		for packet in packets:
			for event in packet["track_event"]:
				track, time = event["track_uuid"][0], packet["timestamp"][0] - profile["began_real_ns"]
				if event["type"][0] == 1:
					begun[track] = time, tables["event_names"][event["name_iid"][0]]["name"][0]
				else:
					assert begun[track][0] <= time
					slices[threads[track]["tid"][0], begun[track][0], begun[track][1]] += 1
			for sample in packet["perf_sample"]:
				frames = [tables["frames"][i] for i in tables["callstacks"][sample["callstack_iid"][0]]["frame_ids"]]
				assert all(tables["mappings"][frame["mapping_id"][0]] for frame in frames)
				samples[sample["tid"][0], tuple(tables["function_names"][frame["function_name_id"][0]]["str"][0] for frame in frames)] += 1
		doing = lambda one: one.get("syscall", one["state"])    # noqa: E731
		tid = lambda one: profile["threads"][one["thread"]]["tid"]      # noqa: E731
		same(slices, collections.Counter((tid(one), one["from_ns"], doing(one)) for one in profile["stretches"]), name)
		wanted = collections.Counter()
		for one in profile["stretches"]:
			if "stack" in one:
				wanted[tid(one), tuple(label(profile["frames"][i]) for i in reversed(profile["stacks"][one["stack"]]))] += one["samples"]
		same(samples, wanted, name)


@check("addresses, paths and build ids are in the trace as bytes")
def _():
	tables = interned_of(decoded("small"))
	frame = [one for one in tables["frames"].values() if one["rel_pc"] == [0x1a2b]][0]
	mapping = tables["mappings"][frame["mapping_id"][0]]
	same(tables["mapping_paths"][mapping["path_string_ids"][0]]["str"], ["usr/lib/made.so"])
	same(tables["build_ids"][mapping["build_id"][0]]["str"][0].encode("utf-8", "surrogateescape").hex(), "00112233445566778899aabbccddeeff01234567")


@check("the text fits 120 columns and steers no terminal, whatever names there are")
def _():
	for name in NAMES:
		for line in read(name, ".txt").splitlines():
			assert len(line) <= 120, line
			assert all(c >= " " and c != "\x7f" and not "\x80" <= c < "\xa0" and c != "\u202e" for c in line), repr(line)
