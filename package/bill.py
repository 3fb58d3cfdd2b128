#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bill.py CPU VERSION SECONDS FOLDER: the bill of materials (SPDX 2.3, JSON) of what is laid out in FOLDER, on stdout.

What is linked in comes from build.lock, with the sums by which it was fetched; SECONDS is the time of the commit.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

NAMESPACE = "https://spdx.org/spdxdocs/"

# What is linked in: name in the bill, entry of build.lock, licence, files it is linked into, how.
PROGRAM = re.compile(r"bin/roclatch$")
LIBRARIES = re.compile(r"lib/(libroclatch\.(so\.0|a)|roclatch/lib/.*\.so\.1)$")
SHARED = re.compile(r"lib/.*\.so(\.[0-9]+)?$")
LINKED = (
    ("musl", "musl-{cpu}/musl-dev", "MIT", PROGRAM, "STATIC_LINK"),
    ("fossil", "sqlite/fossil", "BSD-2-Clause", None, None),
    ("libiberty", "demangle/libiberty", "GPL-2.0-or-later WITH GCC-exception-2.0", PROGRAM, "STATIC_LINK"),
    ("zydis", "zydis/zydis", "MIT", (PROGRAM, LIBRARIES), "STATIC_LINK"),
    ("zycore-c", "zydis/zycore-c", "MIT", (PROGRAM, LIBRARIES), "STATIC_LINK"),
    ("glibc", "bullseye-{cpu}/libc6-dev", "LGPL-2.1-or-later", SHARED, "DYNAMIC_LINK"),
    ("linux-headers", "musl-{cpu}/linux-libc-dev", "GPL-2.0-only WITH Linux-syscall-note", None, "BUILD_DEPENDENCY_OF"),
)
ONLY_ON = {"zydis": "x86_64", "zycore-c": "x86_64"}


def read_lock(path="build.lock"):
    lock, snapshot = {}, None
    with open(path, encoding="utf-8") as lines:
        for words in (line.split() for line in lines if not line.startswith("#")):
            if words[0] == "snapshot":
                snapshot = words[1]
            else:
                lock[words[0]] = words[1:]
    return lock, snapshot


def identity(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.-]+", "-", word) for word in words)


def package(name, version, licence, **more):
    return {"name": name, "SPDXID": identity("Package", name), "versionInfo": version, "filesAnalyzed": False,
            "downloadLocation": "NOASSERTION", "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **more}


def locked(name, entry, licence, lock, snapshot):
    """A package as Debian has it: a .deb, or the upstream tarball of a source."""
    version, path, checksum = lock[entry]
    debian = entry.split("/")[1]
    kind = re.search(r"_(amd64|arm64|all)\.deb$", path)
    return package(name, version, licence,
                   downloadLocation="https://snapshot.debian.org/archive/debian/%s/%s" % (snapshot, path),
                   packageFileName=os.path.basename(path), supplier="Organization: Debian",
                   checksums=[{"algorithm": "SHA256", "checksumValue": checksum}],
                   externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator":
                                  "pkg:deb/debian/%s@%s?arch=%s" % (debian, version.replace(":", "%3A").replace("+", "%2B"),
                                                                    kind.group(1) if kind else "source")}])


def sqlite_version():
    for folder in sorted(os.listdir("build/deps/sqlite")):
        path = os.path.join("build/deps/sqlite", folder, "extsrc/sqlite3.h")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as text:
                return re.search(r'^#define SQLITE_VERSION +"([^"]+)"', text.read(), re.M).group(1)
    sys.exit("bill.py: no sqlite3.h below build/deps/sqlite")


def gcc_version(cpu):
    compiler = "gcc" if cpu == os.uname().machine else cpu + "-linux-gnu-gcc"
    return subprocess.run([compiler, "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()


def files_of(folder):
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as content:
                content = content.read()
            relative = os.path.relpath(path, folder)
            yield {"fileName": "./" + relative, "SPDXID": identity("File", relative), "licenseConcluded": "NOASSERTION",
                   "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
                   "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                                 {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}]}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def links(files, patterns, kind, part):
    patterns = patterns if isinstance(patterns, tuple) else (patterns,)
    for file in files:
        if any(pattern.match(file["fileName"][2:]) for pattern in patterns):
            yield relation(file["SPDXID"], kind, part)


def linked_in(cpu, files):
    """Packages and their relationships."""
    lock, snapshot = read_lock()
    ours = identity("Package", "roclatch")
    for name, entry, licence, into, how in LINKED:
        if ONLY_ON.get(name, cpu) != cpu:
            continue
        part = locked(name, entry.format(cpu=cpu), licence, lock, snapshot)
        yield part, list(links(files, into, how, part["SPDXID"])) if into else [relation(part["SPDXID"], how, ours)] if how else []
    sqlite = package("sqlite", sqlite_version(), "blessing", sourceInfo="the copy in the source of fossil")
    yield sqlite, [relation(sqlite["SPDXID"], "CONTAINED_BY", identity("Package", "fossil")),
                   *links(files, PROGRAM, "STATIC_LINK", sqlite["SPDXID"])]
    libgcc = package("libgcc", gcc_version(cpu), "GPL-3.0-or-later WITH GCC-exception-3.1", sourceInfo="of the compiler")
    yield libgcc, list(links(files, (PROGRAM, SHARED), "STATIC_LINK", libgcc["SPDXID"]))


def bill(cpu, version, seconds, folder):
    files = list(files_of(folder))
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    code = hashlib.sha1("".join(sums).encode()).hexdigest()
    name = "roclatch-%s-%s" % (version, cpu)
    ours = package("roclatch", version, "MIT", primaryPackagePurpose="APPLICATION", filesAnalyzed=True, packageFileName=name + ".tar.gz",
                   packageVerificationCode={"packageVerificationCodeValue": code, "packageVerificationCodeExcludedFiles":
                                            ["./SHA256SUMS", "./share/doc/roclatch/roclatch.spdx.json"]},
                   licenseInfoFromFiles=["NOASSERTION"])
    packages, relations = [ours], [relation("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [relation(ours["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    for part, more in linked_in(cpu, files):
        packages.append(part)
        relations += more
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": NAMESPACE + name + "-" + code,
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: roclatch-bill-" + version]},
            "packages": packages, "files": files, "relationships": relations}


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("x86_64", "aarch64") or not sys.argv[3].isdecimal() or not os.path.isdir(sys.argv[4]):
        sys.exit("usage: bill.py x86_64|aarch64 VERSION SECONDS FOLDER")
    json.dump(bill(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]), sys.stdout, indent=1)
    print()


main()
