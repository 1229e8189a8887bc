# Jackdaw: what a stranger runs. `make demo` and `make test` set up what is missing and need the Swift toolchain only.
PREFIX ?= /usr/local
DEBIAN_PACKAGES := libsndfile1-dev libfftw3-dev gnuplot-nox pkg-config
JACKDAW := .build/release/jackdaw

.PHONY: setup build demo test bench lint docs install clean

setup:
	@.ci/setup $(DEBIAN_PACKAGES)

build: setup
	swift build -c release --product jackdaw

demo: build
	$(JACKDAW) decode captures/*.wav

test: setup
	swift test

bench: build
	$(JACKDAW) bench captures/*.wav

lint:
	swift format lint --strict --recursive Sources Tests Benchmarks Package.swift
	.ci/import-check

docs:
	swift package --allow-writing-to-directory docs/api generate-documentation \
	    --target JackdawDSP --target JackdawCards --target JackdawAudioFile --target JackdawSpectrum \
	    --warnings-as-errors --output-path docs/api

install: build
	install -D -m 755 $(JACKDAW) $(DESTDIR)$(PREFIX)/bin/jackdaw

clean:
	rm -rf .build .build-* Benchmarks/.build
