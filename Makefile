# Jackdaw: what a stranger runs. `make demo` and `make test` set up what is missing and need the Swift toolchain only.
PREFIX ?= /usr/local
# What the Swift toolchain itself needs and a bare Debian lacks, then what the project needs.
DEBIAN_PACKAGES := binutils ca-certificates git libc6-dev libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 \
    pkg-config libsndfile1-dev libfftw3-dev libasound2-dev libbluetooth-dev libsystemd-dev libssl-dev \
    libpcsclite-dev pcscd vsmartcard-vpcd opensc python3-pyscard dbus gnuplot-nox man-db
# With PAYMENTS=1 everything that the trait Payments adds is built and tested, too.
ifdef PAYMENTS
DEBIAN_PACKAGES += libcurl4-openssl-dev libsqlite3-dev openssl python3
TRAITS := --enable-all-traits
endif
# The Swift runtime goes into the command: it runs where there is no toolchain, and starts faster. Without debug
# information, and with two threads for a module, it is built in less time; RELEASE='-c release --static-swift-stdlib'
# builds it with lines for a profiler.
RELEASE := -c release --static-swift-stdlib -debug-info-format none -Xswiftc -num-threads -Xswiftc 2
# The index, by which tests are found, leaves out the modules of the toolchain, and there is no debug information: tests
# are built in less time. For a debugger, build them with `swift build --build-tests`.
TESTS := $(TRAITS) -debug-info-format none -Xswiftc -index-ignore-system-modules
JACKDAW := .build/release/jackdaw
SHARE := $(DESTDIR)$(PREFIX)/share
FORMATTED := Sources Tests Benchmarks Fuzz Package.swift
# The library products: `make api` keeps a page for each.
LIBRARIES := $(patsubst docs/public-api/%.txt,%,$(wildcard docs/public-api/*.txt))
# Without the trait three of them are empty.
DOCUMENTED := $(if $(PAYMENTS),$(LIBRARIES),$(filter-out JackdawHTTP JackdawServices JackdawStore,$(LIBRARIES)))
# Vectors that the project may not hand on; tests that need them are skipped where they are not.
JACKDAW_THIRD_PARTY ?= $(abspath $(wildcard ../shared/vectors/third-party))
export JACKDAW_THIRD_PARTY
# SwiftPM passes a package's traits on in the order of a hashed set. With another order in each run it would compile
# everything again.
export SWIFT_DETERMINISTIC_HASHING := 1

.PHONY: help setup build demo test build-tests quick pay till kills journal-kills soak mutants hostile-http \
    schemathesis lab bench format lint embedded generate items api decks fuzz docs install uninstall clean

help: ## this list
	@sed -nE 's/^([[:alnum:]_.-]+):.*## */\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## install the Debian packages that are missing
	@.ci/setup $(DEBIAN_PACKAGES)

build: setup ## build the command
	swift build $(RELEASE) --product jackdaw

demo: build ## read the cards in captures/
	@.ci/demo $(JACKDAW)

test: build-tests ## build and run all tests; FILTER=REGEX runs those whose name matches; PAYMENTS=1 with the trait
	@env -u SWIFT_DETERMINISTIC_HASHING .ci/tests '$(FILTER)' $(TESTS)

build-tests: setup ## build all tests
	swift build $(TESTS) --build-tests

quick: ## build and test floor 0 and the readers, without slow suites; FILTER=REGEX as above
	@.ci/quick '$(FILTER)'

kills: setup ## kill a till and the sandbox at each write and message of all scenarios, and compare their books; KILLS=NUMBER
	swift build $(RELEASE) --enable-all-traits --product jackdaw-pay
	swift build $(RELEASE) --enable-all-traits --product JackdawKillsTill
	.ci/kills $(KILLS)

journal-kills: ## kill a program that writes a journal KILLS times, 1,000 by default, and look for its records
	JACKDAW_KILLS=$(or $(KILLS),1000) $(MAKE) test PAYMENTS=1 FILTER=JournalKillTests

lab: build ## sound and Bluetooth on real drivers in a virtual machine; SETUP=1 installs tools, SKIP=1 skips what cannot run
	swift build $(RELEASE) --product JackdawBluetoothLab
	swift build $(RELEASE) --product JackdawSwipeStress
	@SETUP='$(SETUP)' SKIP='$(SKIP)' .ci/lab/readers $(JACKDAW) .build/release/JackdawSwipeStress
	@SETUP='$(SETUP)' SKIP='$(SKIP)' .ci/lab/run sound $(JACKDAW)
	@SETUP='$(SETUP)' SKIP='$(SKIP)' .ci/lab/run bluetooth .build/release/JackdawBluetoothLab

bench: build ## how fast and how well this machine decodes
	$(JACKDAW) bench

format: ## format the sources in place
	swift format --in-place --parallel --recursive $(FORMATTED)

lint: ## check format, imports, words and commit subjects
	swift format lint --strict --parallel --recursive $(FORMATTED)
	.ci/import-check
	.ci/words

embedded: ## compile floor 0 in Embedded Swift, to object code for this machine
	@.ci/embedded

generate: build ## write the parts of the documentation that follow from the reader families and the folders
	.ci/import-check --write
	.ci/generate $(JACKDAW)

items: setup ## the items of the Accept SDK's guide: how many have a test, or a reason why not
	@.ci/items

api: ## compare the public API with docs/public-api; WRITE=1 writes it down
	.ci/api $(if $(WRITE),--write)

decks: build ## pay with each virtual card in two processes, over TCP at each simulated reader, and over PC/SC
	.ci/decks $(JACKDAW)

pay: ## build jackdaw-pay, the command for payments
	@$(MAKE) --no-print-directory setup PAYMENTS=1
	swift build $(RELEASE) --traits Payments --product jackdaw-pay

till: pay ## sell at a simulated terminal and at the sandbox, from the command line
	@.ci/till .build/release/jackdaw-pay

hostile-http: pay ## hostile bytes for the sandbox's server, DURATION seconds, 10 by default
	.ci/hostile-http .build/release/jackdaw-pay

schemathesis: pay ## requests made of docs/sandbox-openapi.yaml, DURATION seconds, 20 by default
	.ci/schemathesis .build/release/jackdaw-pay

soak: setup ## simulate 10,000 days of a till, and 100 times 30 days, with everything that can go wrong
	.ci/soak 10000 1
	.ci/soak 100 30

mutants: setup ## whether the simulation finds broken rules of payments
	.ci/mutants

fuzz: build ## hostile input for DURATION seconds a parser, 600 by default
	$(MAKE) -C Fuzz all

docs: ## the libraries' documentation, into docs/api; PAYMENTS=1 with those of the trait
	swift package $(TRAITS) --allow-writing-to-directory docs/api generate-documentation $(DOCUMENTED:%=--target %) \
	    --enable-experimental-combined-documentation --warnings-as-errors --output-path docs/api

install: build ## install command, manual and completions below PREFIX
	install -D -s -m 755 $(JACKDAW) $(DESTDIR)$(PREFIX)/bin/jackdaw
	install -D -m 644 docs/jackdaw.1 $(SHARE)/man/man1/jackdaw.1
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(JACKDAW) --generate-completion-script bash > $(SHARE)/bash-completion/completions/jackdaw
	$(JACKDAW) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_jackdaw
	$(JACKDAW) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/jackdaw.fish

uninstall: ## remove what install put below PREFIX
	rm -f $(DESTDIR)$(PREFIX)/bin/jackdaw $(SHARE)/man/man1/jackdaw.1 \
	    $(SHARE)/bash-completion/completions/jackdaw $(SHARE)/zsh/site-functions/_jackdaw \
	    $(SHARE)/fish/vendor_completions.d/jackdaw.fish

clean: ## remove everything built
	rm -rf .build .build-* Benchmarks/.build Fuzz/.build docs/api
