# SPDX-License-Identifier: Apache-2.0
#
#   make demo         set up, run the main experiment, say where its figure is
#   make test         set up, run every test and check; Linux only where its packages are available
#   make setup        what all share: .venv with the command line and the simulator
#   make dev          the simulator alone, compiled in parts: faster, for those who change it
#   make test-linux   builds Linux and boots it; needs packages of Debian 12 or later
#   make test-long    what takes hours: stress, more kernels, the kernel's own self-tests
#   make test-quick   the tests and checks that take less than a minute
#   make wheels       wheels for other computers, x86-64 and aarch64, in dist
#   make book         the book in docs/ as a site with search, build/book/index.html
#   make lint         only the checks of style and types
#   make lock         resolve the Python dependencies anew
#   make clean        remove everything that was built, .venv included
#
# Everything lands in .venv, target, build and results. Nothing is installed on the computer but
# Debian packages that are missing, and those only where that needs no password.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# What the installed package and the simulator are made of. The Python package is installed
# editable, so a change of its sources needs no new setup.
RUST := $(shell find machine/src machine/translator machine/machines -type f 2>/dev/null) \
        machine/Cargo.toml Cargo.toml $(wildcard Cargo.lock rust-toolchain.toml)

.PHONY: setup dev demo test test-linux test-long test-quick wheels book lint lock clean
.NOTPARALLEL:

setup: $(VENV)/.switchyard

# What names of packages and compilers say goes to a log, which is shown where something fails.
LOG := build/setup.log
define quietly
	@mkdir -p build; { $(1); } >> $(LOG) 2>&1 || { tail -n 25 $(LOG); \
		echo "make: failed; all that was said: $(LOG)"; exit 1; }
endef
PIP := $(BIN)/python -m pip --disable-pip-version-check install --no-compile --require-hashes

# The compiler brings the C libraries of systems that nothing here is compiled for: 150 MB.
FOREIGN := $(foreach part,libtsan libc/mingw libc/wasi libc/darwin libc/*bsd libc/include/*-windows-* \
	libc/include/*-darwin-* libc/include/*bsd*,$(VENV)/lib/python3*/site-packages/ziglang/lib/$(part))

# What it takes to run; `make test` and the like install the rest.
$(VENV)/.setup-packages: requirements-setup.lock
	@$(PYTHON) -I switchyard/tools/doctor.py --install setup
	@echo "== Python packages into $(VENV), 430 MB: half a minute and what the network takes"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call quietly,$(PIP) -r requirements-setup.lock)
	@rm -rf $(FOREIGN)
	@touch $@

$(VENV)/.packages: requirements.lock
	@$(PYTHON) -I switchyard/tools/doctor.py --install setup
	@echo "== Python packages into $(VENV), those of the tests too, 1.1 GB"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# pip takes one processor: another begins to compile the simulator. Setup's own compilation
	@# waits for this one, and says what is wrong if it fails.
	$(call quietly,cargo build --release --locked --quiet --package switchyard-machine & \
		$(PIP) -r requirements.lock)
	@touch $(VENV)/.setup-packages $@

$(VENV)/.switchyard: $(VENV)/.setup-packages pyproject.toml $(RUST)
	@$(PYTHON) -I switchyard/tools/doctor.py setup
	@echo "== the simulator and the command line: three minutes of a processor the first time"
	$(call quietly,VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release)
	@rm -rf $(DEMO)
	@# so that nothing is fetched later on; only its own guests need it
	@$(PYTHON) servers/lwip/fetch.py build/lwip || echo "setup: goes on without lwIP"
	@touch $@

# In place of the release that setup makes; the next setup makes that again. The command line is
# installed once, by setup's own rule, where it has never been.
dev: $(VENV)/.packages
	@test -x $(BIN)/switchyard || $(MAKE) --no-print-directory setup
	@cargo build --locked --quiet --profile dev-release
	@cmp -s target/dev-release/switchyard-machine $(BIN)/switchyard-machine || { \
		rm -f $(VENV)/.switchyard $(BIN)/switchyard-machine; \
		cp target/dev-release/switchyard-machine $(BIN)/; }

# Where the simulator is compiled for a demo: nobody who only looks compiles it again.
DEMO := build/demo
demo: export CARGO_TARGET_DIR = $(CURDIR)/$(DEMO)
demo: setup
	@echo "== eight kernels are compiled, and 240 machines run: a minute of a processor"
	@$(BIN)/switchyard run l4-ipc --brief
	@echo "Next:"
	@echo "  . $(BIN)/activate           puts the command switchyard on the PATH"
	@echo "  docs/tutorial.md               fifteen minutes: forget a flush, and be told"
	@echo "  switchyard experiments         what else can be measured again"

# Linux is part of it. Where its packages are not available it is left out, but not where CI is set:
# what is missing there has failed.
test: $(VENV)/.packages
	@$(PYTHON) -I switchyard/tools/doctor.py --install test
	@$(PYTHON) -I switchyard/tools/doctor.py --install linux || echo "test: goes on without Linux"
	@$(BIN)/python .ci/check.py $(if $(CI),ci,all)

test-linux: $(VENV)/.packages
	@$(PYTHON) -I switchyard/tools/doctor.py --install linux
	@$(BIN)/python .ci/check.py linux

test-long: $(VENV)/.packages
	@$(PYTHON) -I switchyard/tools/doctor.py --install long
	@$(BIN)/python .ci/check.py long

test-quick: $(VENV)/.packages
	@$(BIN)/python .ci/check.py quick

lint: $(VENV)/.packages
	@$(BIN)/python .ci/check.py lint

# Zig links them with the C library of 2012, so that they run on any Linux with glibc since (manylinux2014).
wheels: $(VENV)/.packages
	@for processor in x86_64 aarch64; do \
		target=$$processor-unknown-linux-gnu; \
		rustup target add $$target && \
		$(BIN)/python -m pip --disable-pip-version-check wheel --no-deps -w dist \
			-C build-args="--zig --compatibility manylinux2014 --target $$target" . || exit 1; \
	done

# One resolution for all platforms and every Python from 3.11 on; --no-emit-index-url keeps the
# place that packages came from out of the file.
# Its packages are its own, as nothing else needs them.
BOOK := build/book-venv

$(BOOK)/.packages: docs/site/requirements.lock
	@$(PYTHON) -m venv $(BOOK)
	@$(BOOK)/bin/python -m pip --disable-pip-version-check install -q --require-hashes -r $<
	@touch $@

# What is stepped through in a browser comes with it; Linux' switch where its kernels are built.
EXPLORED := $(patsubst %,build/explore/%.html,ipc recycle pagefault small-spaces \
              $(if $(wildcard build/guests/linux-sa1110-fass.vmlinux),linux))

.PHONY: $(EXPLORED)
$(EXPLORED): setup
	@mkdir -p $(@D)
	@$(BIN)/switchyard explore $@ --case $(basename $(@F))

book: $(BOOK)/.packages $(EXPLORED)
	@$(BIN)/switchyard docs --chapters build/chapters > build/chapters.log
	@NO_MKDOCS_2_WARNING=1 $(BOOK)/bin/mkdocs build --strict --quiet
	@echo "The book: build/book/index.html"

lock:
	@test -x build/lock/bin/python || $(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check install -q uv
	@build/lock/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --custom-compile-command 'make lock' \
		--upgrade -q -o requirements.lock
	@build/lock/bin/uv pip compile pyproject.toml --extra build --extra setup --universal \
		--python-version 3.11 --constraint requirements.lock --generate-hashes --no-emit-index-url \
		--no-annotate --custom-compile-command 'make lock' -q -o requirements-setup.lock
	@build/lock/bin/uv pip compile docs/site/requirements.in --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --custom-compile-command 'make lock' \
		--upgrade -q -o docs/site/requirements.lock

clean:
	rm -rf $(VENV) target build results
