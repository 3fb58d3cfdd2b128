# SPDX-License-Identifier: MIT
# bill.awk build.lock FILES: what bill.sh prints.  A line of FILES is SHA1, SHA256 and path, with tabs between.
# What is linked in comes from build.lock, with the sums by which it was fetched.

# ---- JSON: a blank for each level -----------------------------------------------------------

function line() { return "\n" substr("          ", 1, depth) }
function member(key) { printf "%s%s%s", some[depth]++ ? "," : "", line(), key == "" ? "" : "\"" key "\": " }
function begin(key, bracket) { if (depth) member(key); printf "%s", bracket; some[++depth] = 0 }
function end(bracket) { depth--; printf "%s%s", line(), bracket }
function bare(key, value) { member(key); printf "%s", value }
function text(key, value) { gsub(/[\\"]/, "\\\\&", value); bare(key, "\"" value "\"") }
function checksum(algorithm, value) { begin("", "{"); text("algorithm", algorithm); text("checksumValue", value); end("}") }

# ---- SPDX -----------------------------------------------------------------------------------

function id(kind, name) { gsub(/[^A-Za-z0-9.-]+/, "-", name); return "SPDXRef-" kind "-" name }
function relate(one, kind, other) { relations++; from[relations] = one; is[relations] = kind; to[relations] = other }

# The files whose paths are like that are linked with it.
function link(pattern, kind, part,    i) {
	for (i = 1; i <= files; i++)
		if (path[i] ~ pattern)
			relate(id("File", path[i]), kind, id("Package", part))
}

function package(name, release, analyzed, location, licence) {
	begin("", "{")
	text("name", name); text("SPDXID", id("Package", name)); text("versionInfo", release); bare("filesAnalyzed", analyzed)
	text("downloadLocation", location); text("licenseConcluded", licence); text("licenseDeclared", licence)
	text("copyrightText", "NOASSERTION")
}

function ours(name) {
	package("roclatch", version, "true", "NOASSERTION", "MIT")
	text("primaryPackagePurpose", "APPLICATION"); text("packageFileName", name ".tar.gz")
	begin("packageVerificationCode", "{")
	text("packageVerificationCodeValue", code)
	begin("packageVerificationCodeExcludedFiles", "[")
	text("", "./SHA256SUMS"); text("", "./share/doc/roclatch/roclatch.spdx.json")
	end("]"); end("}")
	begin("licenseInfoFromFiles", "["); text("", "NOASSERTION"); end("]")
	end("}")
}

# As Debian has it: a .deb, or the upstream tarball of a source.
function locked(name, entry, licence,    file, debian, release, kind) {
	if (!(entry in sum)) {
		print "bill.awk: build.lock has no " entry > "/dev/stderr"
		exit 1
	}
	file = place[entry]; sub(/.*\//, "", file)
	debian = entry; sub(/.*\//, "", debian)
	release = held[entry]; gsub(/:/, "%3A", release); gsub(/\+/, "%2B", release)
	kind = file ~ /_(amd64|arm64|all)\.deb$/ ? file : "source"; sub(/.*_/, "", kind); sub(/\.deb$/, "", kind)
	package(name, held[entry], "false", "https://snapshot.debian.org/archive/debian/" snapshot "/" place[entry], licence)
	text("packageFileName", file); text("supplier", "Organization: Debian")
	begin("checksums", "["); checksum("SHA256", sum[entry]); end("]")
	begin("externalRefs", "["); begin("", "{")
	text("referenceCategory", "PACKAGE-MANAGER"); text("referenceType", "purl")
	text("referenceLocator", "pkg:deb/debian/" debian "@" release "?arch=" kind)
	end("}"); end("]"); end("}")
}

function of_source(name, release, licence, source) {
	package(name, release, "false", "NOASSERTION", licence)
	text("sourceInfo", source)
	end("}")
}

function linked_in(    program, libraries, shared) {
	program = "^bin/roclatch$"
	libraries = "^lib/(libroclatch\\.(so\\.0|a)|roclatch/lib/.*\\.so\\.1)$"
	shared = "^lib/.*\\.so(\\.[0-9]+)?$"
	locked("musl", "musl-" cpu "/musl-dev", "MIT"); link(program, "STATIC_LINK", "musl")
	locked("fossil", "sqlite/fossil", "BSD-2-Clause")
	locked("libiberty", "demangle/libiberty", "GPL-2.0-or-later WITH GCC-exception-2.0"); link(program, "STATIC_LINK", "libiberty")
	if (cpu == "x86_64") {
		locked("zydis", "zydis/zydis", "MIT"); link(program "|" libraries, "STATIC_LINK", "zydis")
		locked("zycore-c", "zydis/zycore-c", "MIT"); link(program "|" libraries, "STATIC_LINK", "zycore-c")
	}
	locked("glibc", "bullseye-" cpu "/libc6-dev", "LGPL-2.1-or-later"); link(shared, "DYNAMIC_LINK", "glibc")
	locked("linux-headers", "musl-" cpu "/linux-libc-dev", "GPL-2.0-only WITH Linux-syscall-note")
	relate(id("Package", "linux-headers"), "BUILD_DEPENDENCY_OF", id("Package", "roclatch"))
	of_source("sqlite", sqlite, "blessing", "the copy in the source of fossil")
	relate(id("Package", "sqlite"), "CONTAINED_BY", id("Package", "fossil")); link(program, "STATIC_LINK", "sqlite")
	of_source("libgcc", gcc, "GPL-3.0-or-later WITH GCC-exception-3.1", "of the compiler")
	link(program "|" shared, "STATIC_LINK", "libgcc")
}

function one_file(i) {
	begin("", "{")
	text("fileName", "./" path[i]); text("SPDXID", id("File", path[i])); text("licenseConcluded", "NOASSERTION")
	begin("licenseInfoInFiles", "["); text("", "NOASSERTION"); end("]")
	text("copyrightText", "NOASSERTION")
	begin("checksums", "["); checksum("SHA1", sha1[i]); checksum("SHA256", sha256[i]); end("]")
	end("}")
}

FILENAME == "build.lock" && $1 == "snapshot" { snapshot = $2 }
FILENAME == "build.lock" && !/^#/ && NF == 4 { held[$1] = $2; place[$1] = $3; sum[$1] = $4 }
FILENAME != "build.lock" { split($0, field, "\t"); sha1[++files] = field[1]; sha256[files] = field[2]; path[files] = field[3] }

END {
	name = "roclatch-" version "-" cpu
	relate("SPDXRef-DOCUMENT", "DESCRIBES", id("Package", "roclatch"))
	for (i = 1; i <= files; i++)
		relate(id("Package", "roclatch"), "CONTAINS", id("File", path[i]))
	begin("", "{")
	text("spdxVersion", "SPDX-2.3"); text("dataLicense", "CC0-1.0"); text("SPDXID", "SPDXRef-DOCUMENT"); text("name", name)
	text("documentNamespace", "https://spdx.org/spdxdocs/" name "-" code)
	begin("creationInfo", "{")
	text("created", created)
	begin("creators", "["); text("", "Tool: roclatch-bill-" version); end("]")
	end("}")
	begin("packages", "["); ours(name); linked_in(); end("]")
	begin("files", "["); for (i = 1; i <= files; i++) one_file(i); end("]")
	begin("relationships", "[")
	for (i = 1; i <= relations; i++) {
		begin("", "{")
		text("spdxElementId", from[i]); text("relationshipType", is[i]); text("relatedSpdxElement", to[i])
		end("}")
	}
	end("]"); end("}")
	print ""
}
