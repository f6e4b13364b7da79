# A thin front of CMake and Ninja: every target installs what is missing first (tools/packages.txt). Where make itself is
# missing, ./setup TARGET installs it too.
BUILD ?= build
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

.PHONY: all deps deps-build deps-test with-tests programs test test-quick test-long pages demo fidelity bench install clean format check-format check-includes

# A build folder that was moved or copied with its tree names files of the old place: it is reconfigured.
moved := $(shell tools/moved.sh "$(BUILD)")

all: $(BUILD)/build.ninja
	cmake --build $(BUILD)

deps: deps-build deps-test

deps-build deps-test:
	@tools/deps.sh $(@:deps-%=%)

# Parts that only tests need are configured and built from the first test target on.
$(BUILD)/build.ninja: $(if $(moved),anew) | deps-build
	cmake $(if $(moved),--fresh) -S . -B $(BUILD) -G Ninja -DSLUICE_TESTS=OFF $(CMAKE_FLAGS)

.PHONY: anew
anew:
	@echo "$(BUILD) was configured as $(moved): reconfiguring it with CMAKE_FLAGS='$(CMAKE_FLAGS)'"

with-tests: $(BUILD)/build.ninja deps-test
	cmake -S . -B $(BUILD) -DSLUICE_TESTS=ON
	cmake --build $(BUILD)

# The papers' programs: `sluice programs` lists and runs them.
programs: all
	cmake --build $(BUILD) --target programs

# Three tiers: TESTING.md.
test: with-tests
	cmake --build $(BUILD) --target programs test_programs
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc) -LE long

test-quick: with-tests
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc) -L quick

test-long: with-tests
	cmake --build $(BUILD) --target programs test_programs
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc) -L long

# Regenerates the figures in docs/papers, and those on record for the tests, with this build.
pages: programs
	python3 tools/paper_page.py --recorded --build $(BUILD)
	python3 tools/paper_page.py --build $(BUILD)

demo: all
	@tools/demo.sh $(BUILD)

# Compares figures and speed with GPGPU-Sim: docs/fidelity.md.
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
