# SPDX-License-Identifier: MIT
"""judge.py WHAT ...: is what the attachments of a job of eight ranks left right? By the files themselves, not by what
roclatch says of them. Figures are told in lines that begin with #; what is wrong ends it.
  statuses FOLDER HOST,... JOB [at]   for each rank one, from its host, of that job; with "at": none before its time
  databases FOLDER                    for each rank one, with records of its process alone
  merged FOLDER                       all their records are in report_results.db, at their times
  slow JSON RANK MEASURE              roclatch report --json names that one, by that measure"""
import glob
import json
import os
import sqlite3
import sys

RANKS = 8
LATEST_S = 20                           # after the time that was asked for, on a machine that is busy
RECORDS = ("rocpd_kernel_dispatch", "rocpd_region", "rocpd_memory_copy", "rocpd_memory_allocate")


def check(right, text):
	if not right:
		sys.exit(text)


def statuses(folder):
	found = []
	for path in glob.glob(folder + "/*.roclatch.json"):
		with open(path) as file:
			found.append(json.load(file))
	check(len(found) == RANKS, f"{len(found)} statuses: {os.listdir(folder)}")
	found.sort(key=lambda status: status["rank"])
	check([s["rank"] for s in found] == list(range(RANKS)), f"ranks {[s['rank'] for s in found]}")
	return found


def told(ns):
	return f"{ns / 1e6:.1f} ms"


def skew(found):
	times = [s["attached_at_ns"] for s in found]
	return max(times) - min(times)


def judge_statuses(folder, hosts, job, at=None):
	found = statuses(folder)
	check([s["host"] for s in found] == hosts.split(","), f"hosts {[s['host'] for s in found]}")
	for s in found:
		good = s["status"] == 0 and s["attached"] and s["detached"] and s["ranks"] == RANKS and s["job"] == job and not s["lost"]
		check(good and s["records"] > 0 and s["attached_at_ns"] < s["detached_at_ns"], f"rank {s['rank']}: {s}")
	if at:
		asked = {s["host"]: s["asked_at_ns"] for s in found}
		late = [s["attached_at_ns"] - asked[s["host"]] for s in found]
		check(all(asked.values()) and 0 <= min(late) and max(late) < LATEST_S * 1e9, f"late by {late}")
		print(f"# attached {told(min(late))} to {told(max(late))} after the time")
	for host in sorted(set(s["host"] for s in found)):
		ours = [s for s in found if s["host"] == host]
		print(f"# {host}: {len(ours)} ranks attached within {told(skew(ours))}")
	print(f"# all within {told(skew(found))}")


def database_of(folder, status):
	names = [file["name"] for file in status["files"] if file["name"].endswith("_results.db")]
	check(len(names) == 1, f"rank {status['rank']} has files {status['files']}")
	path = os.path.join(folder, names[0])
	check(os.path.getsize(path) == status["files"][0]["size"], f"{path} is not as long as its status says")
	return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def process_of(database, status):
	"""Processes of two nodes may have the same id."""
	who = (status["pid"], status["host"])
	found = database.execute("select p.id, p.extdata from rocpd_info_process p join rocpd_info_node n on n.id = p.nid "
		"where p.pid = ? and n.hostname = ?", who).fetchall()
	check(len(found) == 1, f"rank {status['rank']}: {len(found)} processes {who}")
	return found[0]


def records_of(database, status, moved):
	"""Start and end of each record of that process, by table."""
	process = process_of(database, status)[0]
	return {table: sorted((start + moved, end + moved) for start, end in
		database.execute(f"select start, end from {table} where pid = ?", (process,))) for table in RECORDS}


def judge_databases(folder):
	for s in statuses(folder):
		database = database_of(folder, s)
		check(database.execute("pragma integrity_check").fetchone() == ("ok",), f"rank {s['rank']}: damaged")
		check(database.execute("select count(*) from rocpd_info_process").fetchone() == (1,), f"rank {s['rank']}: not one process")
		records = records_of(database, s, 0)
		check(len(records["rocpd_kernel_dispatch"]) > 5 and len(records["rocpd_region"]) > 5, f"rank {s['rank']}: {records}")
		# kernels take three steps at a time: nothing of a step is left out
		names = dict(database.execute("select name, count(*) from kernels group by name"))
		check(len(names) == 3 and max(names.values()) - min(names.values()) <= 1, f"rank {s['rank']}: {names}")


def judge_merged(folder):
	merged = sqlite3.connect(f"file:{folder}/report_results.db?mode=ro", uri=True)
	check(merged.execute("pragma integrity_check").fetchone() == ("ok",), "damaged")
	check(merged.execute("select count(*) from rocpd_info_process").fetchone() == (RANKS,), "not eight processes")
	total = 0
	for s in statuses(folder):
		moved = json.loads(process_of(merged, s)[1])["job"]["moved_ns"]
		theirs, ours = records_of(database_of(folder, s), s, moved), records_of(merged, s, 0)
		check(theirs == ours, f"rank {s['rank']}: not the same records")
		total += sum(len(rows) for rows in ours.values())
	for table in RECORDS:
		total -= merged.execute(f"select count(*) from {table}").fetchone()[0]
	check(total == 0, "it has records that no rank has")


def judge_slow(path, rank, measure):
	with open(path) as file:
		report = json.load(file)
	slow = [r["rank"] for r in report["ranks"] if r["slow"]]
	check(slow == [int(rank)] and report["slow"] == 1, f"slow are {slow}: {report['judgement']}")
	check(report["measure"] == measure, f"by {report['measure']}: {report['judgement']}")
	check(report["judgement"].startswith(f"rank {rank} on "), report["judgement"])
	check(not report["problems"] and report["statuses"] == report["expected"] == RANKS, f"{report['problems']}")
	print("# " + report["judgement"])


{"statuses": judge_statuses, "databases": judge_databases, "merged": judge_merged, "slow": judge_slow}[sys.argv[1]](*sys.argv[2:])
