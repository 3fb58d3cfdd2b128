# SPDX-License-Identifier: MIT
# The SDK stand-in delivers what it says it delivers, in each of its versions: a tool that knows upstream's offsets and
# not the stand-in's structures writes the same lines.
. tests/lab/check.sh
export LC_ALL=C
scratch
rocm=$PWD/build/$(uname -m)/fixtures/root-rocm

# both LIBRARIES: what was delivered and what came, line by line; the lines of the discarding buffer were not written.
both() {
	rm -f "$folder/truth" "$folder/given"
	(cd "$rocm" && timeout 60 env LD_LIBRARY_PATH="$1" SDK_TRUTH="$folder/truth" ./check-sdk "$folder/given") || return 1
	sort "$folder/given" > "$folder/given.sorted"
	grep -av "$(printf '^api\t12554\t')" "$folder/truth" | grep -av "$(printf '^count\tHSA_CORE_API\t')" | sort > "$folder/truth.sorted"
	grep -av "$(printf '^count\tHSA_CORE_API\t')" "$folder/given.sorted" | cmp - "$folder/truth.sorted" || return 1
	[ "$(wc -l < "$folder/truth.sorted")" -gt 20000 ]
}
# has TYPE N: at least so many lines of that type.
has() { [ "$(grep -ac "^$1$(printf '\t')" "$folder/truth")" -ge "$2" ] || { echo "few lines of $1"; return 1; }; }
kinds() {
	for type in sdk kind operation agent counter api dispatch copy allocation scratch initialization retirement counted \
		value marker code_object kernel stream count; do
		has "$type" 1 || return 1
	done
	has kernel 80 && has marker 500 && has dispatch 600
}

check "SDK 1.3 delivers what it says" both lib
check "every type of line is there" kinds
check "SDK 1.1 delivers what it says" both sdk-1.1:lib
check "SDK 1.0 delivers what it says" both sdk-1.0:lib
