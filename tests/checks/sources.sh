# SPDX-License-Identifier: MIT
# What every file of the tree has in common.
. tests/lab/check.sh

sources() { find . -name build -prune -o -name .git -prune -o -type f "$@" -print; }
code() { sources '(' -name '*.[chS]' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' -o -name Makefile -o -path './.ci/run' -o -path './tests/lab/*' ')'; }
scripts() { sources '(' -name '*.sh' -o -path './.ci/run' -o -path './tests/lab/vm' ')'; }

without_licence() { code | xargs grep -L 'SPDX-License-Identifier: MIT' | grep .; }
lint() { scripts | xargs shellcheck -x -s sh; }
too_long() { code | xargs wc -l | awk '$2 != "total" && $1 > 400' | grep .; }

check "every source names its licence" denies without_licence
check "no source is longer than 400 lines" denies too_long
check "shellcheck has nothing to say" lint
