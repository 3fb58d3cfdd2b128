# SPDX-License-Identifier: MIT
# What ./build.sh dist packs: whole, sound, with the licences and a bill of materials of what is in it.
. tests/lab/check.sh
. package/layout.sh
scratch
stamp=1700000000

# A machine without Python packs as well.
packs() {
	mkdir "$folder/without"
	printf '#!/bin/sh\nexit 127\n' > "$folder/without/python3"
	chmod +x "$folder/without/python3"
	PATH=$folder/without:$PATH SOURCE_DATE_EPOCH=$stamp package/dist.sh "$folder/dist" && cat "$folder/dist/SHA256SUMS"
}
sums_hold() { (cd "$1" && sha256sum --check --strict --quiet SHA256SUMS); }
sums_name_all() { (cd "$1" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort > "$folder/all" && awk '{ print $2 }' SHA256SUMS | sort | diff "$folder/all" -); }
unpacks() { tar -xzf "$folder/dist/$name.tar.gz" -C "$folder" && [ -d "$folder/$name" ]; }
one_folder() { [ "$(tar -tzf "$folder/dist/$name.tar.gz" | cut -d / -f 1 | sort -u)" = "$name" ]; }
times_are_the_commits() { [ "$(find "$folder/$name" ! -newermt "@$((stamp - 1))" -o -newermt "@$stamp" | wc -l)" = 0 ]; }

# Everything but documents, with modes.
files() { (cd "$1" && find . ! -type d ! -path './share/doc/*' ! -path './share/man/*' -printf '%m %P %l\n' | sed 's/ $//' | LC_ALL=C sort -k 2); }
expected() {
	cat <<-'END'
	777 LICENSE share/doc/roclatch/licences/roclatch
	777 README.md share/doc/roclatch/README.md
	644 SHA256SUMS
	755 bin/roclatch
	777 docs share/doc/roclatch/docs
	644 include/roclatch.h
	644 lib/libroclatch-tool.so
	644 lib/libroclatch.a
	777 lib/libroclatch.so libroclatch.so.0
	644 lib/libroclatch.so.0
	644 lib/roclatch/include/rocprofiler-sdk-rocattach/defines.h
	644 lib/roclatch/include/rocprofiler-sdk-rocattach/rocattach.h
	644 lib/roclatch/include/rocprofiler-sdk-rocattach/types.h
	644 lib/roclatch/include/rocprofiler-sdk-rocattach/version.h
	644 lib/roclatch/include/rocprofv3-attach.h
	777 lib/roclatch/lib/librocprofiler-sdk-rocattach.so librocprofiler-sdk-rocattach.so.1
	644 lib/roclatch/lib/librocprofiler-sdk-rocattach.so.1
	777 lib/roclatch/lib/rocprofiler-sdk/librocprofv3-attach.so librocprofv3-attach.so.1
	644 lib/roclatch/lib/rocprofiler-sdk/librocprofv3-attach.so.1
	755 lib/roclatch/rocprofv3-attach.py
	644 share/bash-completion/completions/roclatch
	644 share/fish/vendor_completions.d/roclatch.fish
	644 share/zsh/site-functions/_roclatch
	END
}
has_its_files() { expected > "$folder/expected" && files "$folder/$name" | diff "$folder/expected" -; }
has_man_pages() {
	(cd docs && find . -name '*.1' -printf '%f\n' | sort) > "$folder/pages"
	[ -s "$folder/pages" ] && find "$folder/$name/share/man/man1" -type f -printf '%f\n' | sort | diff "$folder/pages" -
}
is_for_its_cpu() {
	for file in "$folder/$name"/bin/roclatch "$folder/$name"/lib/*.so* "$folder/$name"/lib/roclatch/lib/*.so*; do
		readelf -h "$file" | grep -q "Machine:.*$machine" || { echo "$file"; return 1; }
	done
}
links_lead_somewhere() {
	[ -e "$folder/$name/docs/attach.md" ] && ! find "$folder/$name" -xtype l | grep . || return 1
	grep -oE '\]\((docs/[a-z/A-Z0-9.-]+)' README.md | cut -c3- | while read -r link; do
		[ -e "$folder/$name/$link" ] || { echo "$link"; return 1; }
	done
}

# licences FILE:WORDS...: these, with these words in them, and no other.
licences() {
	for pair; do
		echo "${pair%%:*}" >> "$folder/named"
		tr -s '\n ' '  ' < "$where/${pair%%:*}" | grep -q "${pair#*:}" || { echo "$pair"; return 1; }
	done
	sort "$folder/named" > "$folder/wanted"
	find "$where" -type f -printf '%f\n' | sort | diff "$folder/wanted" -
}
has_licences() {
	where=$folder/$name/share/doc/roclatch/licences
	rm -f "$folder/named"
	set -- "roclatch:Permission is hereby granted" "musl:Rich Felker.*Permission is hereby granted" \
		"sqlite:disclaims copyright.*May you do good" "libiberty:unlimited permission to link"
	[ "$cpu" != x86_64 ] || set -- "$@" "zydis:Permission is hereby granted" "zycore-c:Permission is hereby granted"
	licences "$@"
}
bill_is_beside() { cmp "$folder/dist/$name.spdx.json" "$folder/$name/share/doc/roclatch/roclatch.spdx.json"; }
# The groups that need_for_build fetches, those of the other CPU left out.
fetched() { sed -n '/^need_for_build/,/^}/s/.*fetch\.sh //p' build.sh | tr ' ' '\n' | grep -vE "$1"; }
bill_holds() {
	# shellcheck disable=SC2046 # words
	python3 tests/checks/dist_bill.py "$folder/dist/$name.spdx.json" "$folder/$name" "$version" "$cpu" $stamp \
		$(fetched "$([ "$cpu" = x86_64 ] && echo aarch64 || echo 'x86_64|zydis')")
}
runs() { [ "$("$folder/roclatch-$version-$host/bin/roclatch" --version | head -n 1)" = "roclatch $version" ]; }
names_this_place() { grep -rlaF -e "$PWD" -e "$folder" "$folder/$name"; }

check "both CPUs are packed, without Python" packs
check "the sums beside them hold" sums_hold "$folder/dist"
check "the sums beside them are of every file" sums_name_all "$folder/dist"
for pair in x86_64:X86-64 aarch64:AArch64; do
	cpu=${pair%:*} machine=${pair#*:}
	name=roclatch-$version-$cpu
	check "$cpu tarball unpacks" unpacks
	check "$cpu tarball has one folder of its name" one_folder
	check "$cpu tarball has the commit's time alone" times_are_the_commits
	check "$cpu sums inside hold" sums_hold "$folder/$name"
	check "$cpu sums inside are of every file" sums_name_all "$folder/$name"
	check "$cpu tarball has these files, with these modes" has_its_files
	check "$cpu tarball has every man page" has_man_pages
	check "$cpu files are for their CPU" is_for_its_cpu
	check "$cpu links lead somewhere" links_lead_somewhere
	check "$cpu tarball has the licences of what is linked in, and no other" has_licences
	check "$cpu bill of materials is inside and beside" bill_is_beside
	check "$cpu bill of materials is SPDX 2.3, whole and true" bill_holds
	check "$cpu tarball does not name the folder it was made in" denies names_this_place
done
check "the program runs where it was unpacked" runs
check "a second word is refused with status 2" status 2 package/dist.sh a b
