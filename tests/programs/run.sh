#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/programs/run.sh [PROGRAM...]: try roclatch on programs that people run, while they work.
# programs.bash beside this says the rest.
exec bash "$(dirname "$0")/programs.bash" "$@"
