# SPDX-License-Identifier: Apache-2.0
"""Where code lies: the hot lines of a kernel packed densely, its cold halves out of line.

An object file that holds all of a program (`ld -r`), the linked program, and how often each of
its instructions was executed (`boot --counts`) in; the same object file with a copy of the hot
parts out, ordered, for the linker to make the program of. docs/layout.md says how it is used and
what it brings.

- `elf`: relocatable files, read and written
- `arm`: what an instruction does to the flow of control, and to what lies near it
- `counts`: what the simulator counted
- `functions`: the functions of a file, cut into blocks
- `order`: which blocks follow each other, which functions, and from which set on
- `rewrite`: the file with the hot parts in their new order
"""
