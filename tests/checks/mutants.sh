# SPDX-License-Identifier: MIT
# Deliberate faults fit the source that they are for, and the table of them is the true one.
. tests/lab/check.sh
scratch

# One that does not apply is named by git.
fits() {
	for patch in tests/mutants/*.patch; do
		git apply --check "$patch" || return 1
	done
}

listed() {
	tests/mutants/run.sh --list > "$folder/list"
	sed -n '/^<!-- list -->$/,/^<!-- end -->$/p' docs/mutants.md | sed '1d;$d' | diff - "$folder/list"
}

check "every deliberate fault fits its source" fits
check "every deliberate fault is in docs/mutants.md" listed
