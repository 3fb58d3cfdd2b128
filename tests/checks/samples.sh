# SPDX-License-Identifier: MIT
# The formats of samples, read by other means than those that wrote them, and their page in a browser without a window.
. tests/lab/check.sh
scratch
made="build/$(uname -m)/tests/unit/test_samples"

check "files of all formats are written from made profiles" "$made" "$folder"
outside() { grep -aE 'https?://|//[a-z0-9-]+\.[a-z]|@import|url\(' "$folder/small.html"; }
check "the page names nothing outside of itself" denies outside
twice() { mkdir "$folder/again" && "$made" "$folder/again" && for file in "$folder/again"/*; do cmp "$file" "$folder/${file##*/}" || return 1; done; }
check "the same profile gives the same files" twice
python3 tests/checks/samples_values.py "$folder" || echo "not ok the values were read to the end"
python3 tests/checks/samples_page.py "$folder" || echo "not ok the browser was driven to the end"
