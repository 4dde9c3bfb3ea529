# SPDX-License-Identifier: Apache-2.0
"""`python -m switchyard` is the command `switchyard`."""

from switchyard.cli import main

if __name__ == "__main__":
    main()
