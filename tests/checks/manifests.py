# SPDX-License-Identifier: MIT
"""manifests.py FILE...: does kubectl know every field of them, with the type that it has there? It reads each as an object of
its API, without a cluster, and what it does not know is not in what it writes then."""
import json
import subprocess
import sys

import yaml


def unknown(given, known, path):
	if isinstance(given, dict) and isinstance(known, dict):
		return [where for name in given for where in unknown(given[name], known.get(name), f"{path}.{name}")]
	if isinstance(given, list) and isinstance(known, list) and len(given) <= len(known):
		return [where for i, item in enumerate(given) for where in unknown(item, known[i], f"{path}[{i}]")]
	return [] if given == known else [path]


wrong = []
for path in sys.argv[1:]:
	command = ["kubectl", "--kubeconfig", "/dev/null", "set", "env", "--local", "-f", path, "A=b", "-o", "json"]
	read = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
	with open(path) as file:
		wrong += [read.stdout.decode()] if read.returncode else unknown(yaml.safe_load(file), json.loads(read.stdout), path)
sys.exit("\n".join(wrong) or None)
