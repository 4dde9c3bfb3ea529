#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# between.sh GCC SHIFT, in the folder of the objects whose names it reads: says them again, with a pad of up to
# 127 lines of code after one in eight of them, drawn from SHIFT. Of so many words, not lines: where in a line a
# function begins decides how many lines it has, and that, too, is its place and not its code. (The generator is
# here, as awks have different ones.)
awk -v x="$2" '
    function drawn(below) { x = (x * 25173 + 13849) % 65536; return int(x / 65536 * below) }
    { print; if (drawn(8) == 0) printf "pad-%d.o %d\n", NR, 4 * (1 + drawn(8 * 127)) }' |
while read -r object bytes; do
    if [ -n "$bytes" ]; then
        printf '.text\n.space %d\n' "$bytes" | $1 -x assembler -c -o "$object" - || exit 1
    fi
    echo "$object"
done
