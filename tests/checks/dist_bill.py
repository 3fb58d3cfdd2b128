# SPDX-License-Identifier: MIT
"""dist_bill.py BILL FOLDER VERSION CPU SECONDS GROUP...: is BILL an SPDX 2.3 document, and does it say what is in FOLDER?

Every GROUP of build.lock that the build fetches must be in it.  Required fields are those of the specification's
chapters 6 (document), 7 (packages), 8 (files) and 11 (relationships).
"""
import datetime
import hashlib
import json
import os
import re
import sys

SIZES = {"SHA1": 40, "SHA256": 64}
LICENCES = re.compile(r"(MIT|BSD-2-Clause|blessing|LGPL-2\.1-or-later|GPL-2\.0-or-later WITH GCC-exception-2\.0|"
                      r"GPL-2\.0-only WITH Linux-syscall-note|GPL-3\.0-or-later WITH GCC-exception-3\.1)$")
RELATIONS = {"DESCRIBES", "CONTAINS", "CONTAINED_BY", "STATIC_LINK", "DYNAMIC_LINK", "BUILD_DEPENDENCY_OF"}
PROGRAM = "SPDXRef-File-bin-roclatch"


def need(holds, *what):
    if not holds:
        sys.exit("not so: " + " ".join(str(word) for word in what))


def has_checksums(element, wanted):
    sums = {one["algorithm"]: one["checksumValue"] for one in element["checksums"]}
    need(set(sums) == wanted, element["SPDXID"], "has the checksums", wanted)
    for algorithm, value in sums.items():
        need(re.fullmatch(r"[0-9a-f]{%d}" % SIZES[algorithm], value), element["SPDXID"], algorithm, value)
    return sums


def check_document(bill, version, cpu, seconds):
    name = "roclatch-%s-%s" % (version, cpu)
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    need(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "SPDX 2.3 under CC0-1.0")
    need(bill["SPDXID"] == "SPDXRef-DOCUMENT" and bill["name"] == name, "the document's name")
    need(re.fullmatch(r"https://[^ #]+/" + re.escape(name) + "-[0-9a-f]{40}", bill["documentNamespace"]), bill["documentNamespace"])
    need(bill["creationInfo"]["created"] == created, bill["creationInfo"]["created"], "is the time of the commit")
    need(bill["creationInfo"]["creators"], "it has a creator")
    need(all(re.match(r"(Tool|Organization|Person): .", one) for one in bill["creationInfo"]["creators"]), "creators are of a kind")


def check_packages(bill, version):
    for one in bill["packages"]:
        need(one["name"] and one["versionInfo"], "each package has a name and a version")
        need(re.match(r"https://|NOASSERTION$", one["downloadLocation"]), one["downloadLocation"])
        for field in ("licenseConcluded", "licenseDeclared"):
            need(LICENCES.match(one[field]), one["name"], field, one[field])
        need(one["copyrightText"], one["name"], "has a copyright text")
        if "checksums" in one:
            has_checksums(one, {"SHA256"})
    ours = [one for one in bill["packages"] if one["name"] == "roclatch"]
    need(len(ours) == 1 and ours[0]["versionInfo"] == version and ours[0]["filesAnalyzed"] is True, "one of them is roclatch")
    need(all(one["filesAnalyzed"] is False for one in bill["packages"] if one is not ours[0]), "files are of roclatch alone")
    return ours[0]


def check_files(bill, ours, folder):
    excluded = set(ours["packageVerificationCode"]["packageVerificationCodeExcludedFiles"])
    there = {"./" + os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names
             if not os.path.islink(os.path.join(where, name))}
    need({one["fileName"] for one in bill["files"]} == there - excluded, "every file is in it:",
         {one["fileName"] for one in bill["files"]} ^ (there - excluded))
    need(excluded < there, "what is left out is there")
    all_sums = []
    for one in bill["files"]:
        sums = has_checksums(one, {"SHA1", "SHA256"})
        with open(os.path.join(folder, one["fileName"]), "rb") as file:
            content = file.read()
        need(hashlib.sha256(content).hexdigest() == sums["SHA256"], one["fileName"], "has another SHA256")
        need(hashlib.sha1(content).hexdigest() == sums["SHA1"], one["fileName"], "has another SHA1")
        all_sums.append(sums["SHA1"])
    code = hashlib.sha1("".join(sorted(all_sums)).encode()).hexdigest()
    need(ours["packageVerificationCode"]["packageVerificationCodeValue"] == code, "the package's verification code")


def check_relations(bill, ours):
    ids = [bill["SPDXID"]] + [one["SPDXID"] for one in bill["packages"] + bill["files"]]
    need(len(ids) == len(set(ids)), "ids are unique")
    need(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in ids), "ids are of letters, digits, dots and dashes")
    triples = set()
    for one in bill["relationships"]:
        triple = one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"]
        need(triple[0] in ids and triple[2] in ids and triple[1] in RELATIONS, triple)
        need(triple not in triples, "said once:", triple)
        triples.add(triple)
    need(("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"]) in triples, "the document describes roclatch")
    for one in bill["files"]:
        need((ours["SPDXID"], "CONTAINS", one["SPDXID"]) in triples, "roclatch contains", one["fileName"])
    for one in bill["packages"]:
        need(any(one["SPDXID"] in (triple[0], triple[2]) for triple in triples), one["name"], "is related to something")
    return triples


def check_linked(bill, triples, folder, groups):
    """All that the build fetches is in it, with the sums of build.lock; each licence in the folder is of something linked in."""
    by_sum = {one["checksums"][0]["checksumValue"]: one for one in bill["packages"] if "checksums" in one}
    lock = {}
    with open("build.lock", encoding="utf-8") as lines:
        for words in (line.split() for line in lines):
            if len(words) == 4 and "/" in words[0]:
                lock.setdefault(words[0].split("/")[0], {})[words[3]] = words[1], words[2]
    need(len(groups) >= 4, "groups of build.lock were named")
    for group in groups:
        need(set(lock[group]) & set(by_sum), group, "is not in the bill")
    known = {checksum: entry for entries in lock.values() for checksum, entry in entries.items()}
    for checksum, one in by_sum.items():
        version, path = known[checksum]
        need(one["versionInfo"] == version and one["downloadLocation"].endswith("/" + path), one["name"], "is that of build.lock")
    static = {triple[2] for triple in triples if triple[:2] == (PROGRAM, "STATIC_LINK")}
    licences = set(os.listdir(os.path.join(folder, "share/doc/roclatch/licences"))) - {"roclatch"}
    linked = {one["name"] for one in bill["packages"] if one["SPDXID"] in static} - {"libgcc"}  # whose licence asks for no copy
    need(licences == linked, "licences are of what is linked into the program:", licences ^ linked)


def main():
    path, folder, version, cpu, seconds = sys.argv[1:6]
    with open(path, encoding="utf-8") as text:
        bill = json.load(text)
    check_document(bill, version, cpu, int(seconds))
    ours = check_packages(bill, version)
    check_files(bill, ours, folder)
    check_linked(bill, check_relations(bill, ours), folder, sys.argv[6:])


main()
