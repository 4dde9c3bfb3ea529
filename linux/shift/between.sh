#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# between.sh GCC SHIFT, in the folder of the objects whose names it reads: says them again, with a pad of up to
# 127 lines of code after one in eight of them, drawn from SHIFT. (The generator is here, as awks have
# different ones.)
awk -v x="$2" '
    function drawn(below) { x = (x * 25173 + 13849) % 65536; return int(x / 65536 * below) }
    { print; if (drawn(8) == 0) printf "pad-%d.o %d\n", NR, 32 * (1 + drawn(127)) }' |
while read -r object bytes; do
    if [ -n "$bytes" ]; then
        printf '.text\n.space %d\n' "$bytes" | $1 -x assembler -c -o "$object" - || exit 1
    fi
    echo "$object"
done
