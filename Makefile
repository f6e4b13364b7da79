# Makefile: a thin front end of CMake and Ninja. Every target first installs missing packages (tools/packages.txt).
# ./setup TARGET also installs make itself.
BUILD ?= build
PREFIX ?= /usr/local
CMAKE_FLAGS ?=
.DEFAULT_GOAL := all

.PHONY: help all deps deps-build deps-test with-tests programs test test-quick test-long pages demo fidelity bench install clean format check-format check-includes docs

# A build folder that was moved or copied with its tree names files at the old path, so it is reconfigured.
moved := $(shell tools/moved.sh "$(BUILD)")

help:
	@echo "make             builds the simulator into build/"
	@echo "make demo        builds and runs the first examples"
	@echo "make programs    compiles the papers' programs"
	@echo "make test        the full tests, as before a change is accepted; test-quick, test-long: TESTING.md"
	@echo "make docs        the site of the pages, in build/site"
	@echo "make fidelity    cycles and counters compared with GPGPU-Sim's; bench: speed"
	@echo "make pages       regenerates the results in docs/papers"
	@echo "make install     installs below PREFIX (/usr/local)"
	@echo "make format      formats the C sources"
	@echo "make clean       removes build/"

all: $(BUILD)/build.ninja
	cmake --build $(BUILD)

deps: deps-build deps-test

deps-build deps-test deps-docs:
	@tools/deps.sh $(@:deps-%=%)

# Tests are configured and built only after a test target was requested for the first time.
$(BUILD)/build.ninja: $(if $(moved),again) | deps-build
	cmake $(if $(moved),--fresh) -S . -B $(BUILD) -G Ninja -DSLUICE_TESTS=OFF $(CMAKE_FLAGS)

.PHONY: again
again:
	@echo "$(BUILD) was configured as $(moved): configuring it again, with CMAKE_FLAGS='$(CMAKE_FLAGS)'"

with-tests: $(BUILD)/build.ninja deps-test
	cmake -S . -B $(BUILD) -DSLUICE_TESTS=ON
	cmake --build $(BUILD)

# The papers' programs: `sluice programs` lists and runs them.
programs: all
	cmake --build $(BUILD) --target programs

# Three tiers: TESTING.md. One job more than processors, because some tests wait.
run_tests = ctest --test-dir $(BUILD) --output-on-failure -j $$(($$(nproc) + 1))
test: with-tests
	cmake --build $(BUILD) --target programs test_programs
	$(run_tests) -LE long

test-quick: with-tests
	$(run_tests) -L quick

test-long: with-tests
	cmake --build $(BUILD) --target programs test_programs
	$(run_tests) -L long

# Regenerates the figures in docs/papers, and the recorded ones of the tests, with this build.
pages: programs
	python3 tools/paper_page.py --recorded --build $(BUILD)
	python3 tools/paper_page.py --build $(BUILD)

# The site of the pages, in build/site: docs/README.md lists them.
docs: $(BUILD)/build.ninja deps-docs
	python3 tools/site.py --build $(BUILD)
	@! ninja -C $(BUILD) -t query docs_api >/dev/null 2>&1 || cmake --build $(BUILD) --target docs_api

demo: all
	@tools/demo.sh $(BUILD)

# Compares our results and our speed with GPGPU-Sim's (docs/explanation/fidelity.md).
fidelity: with-tests
	@python3 tools/fidelity.py --build $(BUILD)

bench: with-tests
	@python3 tools/bench.py --build $(BUILD)

install: all
	cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf $(BUILD)

format: deps-test
	tools/format.sh -i

check-format: deps-test
	tools/format.sh --dry-run -Werror

check-includes:
	tools/check_includes.sh
