# SPDX-License-Identifier: MIT
"""registry.py PORT NAME=FOLDER=CONFIG...: a registry of images, which has for each name the files of a folder with this
configuration (JSON, as of the OCI's images), so that a node pulls them as it does everywhere."""
import hashlib
import http.server
import io
import json
import platform
import sys
import tarfile

OCI = "application/vnd.oci.image."
answers = {}    # path: (type, bytes)


def digest(data):
	return "sha256:" + hashlib.sha256(data).hexdigest()


def keep(name, kind, data):
	answers[f"/v2/{name}/blobs/{digest(data)}"] = (kind, data)
	return {"mediaType": kind, "digest": digest(data), "size": len(data)}


def add(name, folder, config):
	layer = io.BytesIO()
	with tarfile.open(fileobj=layer, mode="w") as tar:
		tar.add(folder, ".")
	cpu = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
	files = keep(name, OCI + "layer.v1.tar", layer.getvalue())
	image = {"architecture": cpu, "os": "linux", "config": json.loads(config),
		"rootfs": {"type": "layers", "diff_ids": [files["digest"]]}}
	settings = keep(name, OCI + "config.v1+json", json.dumps(image).encode())
	kind = OCI + "manifest.v1+json"
	manifest = json.dumps({"schemaVersion": 2, "mediaType": kind, "config": settings, "layers": [files]}).encode()
	for reference in "latest", digest(manifest):
		answers[f"/v2/{name}/manifests/{reference}"] = (kind, manifest)


class Registry(http.server.BaseHTTPRequestHandler):
	def do_HEAD(self):
		kind, data = answers.get(self.path.split("?")[0], (None, b""))
		self.send_response(200 if kind else 404)
		if kind:
			self.send_header("Content-Type", kind)
			self.send_header("Docker-Content-Digest", digest(data))
		self.send_header("Content-Length", str(len(data)))
		self.end_headers()
		return data

	def do_GET(self):
		self.wfile.write(self.do_HEAD())


for image in sys.argv[2:]:
	add(*image.split("=", 2))
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Registry).serve_forever()
