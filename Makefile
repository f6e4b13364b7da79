# A thin front of CMake and Ninja: every target installs what is missing first (tools/packages.txt).
BUILD ?= build
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

.PHONY: all deps programs test demo fidelity bench install clean format check-format check-includes

all: $(BUILD)/build.ninja
	cmake --build $(BUILD)

deps:
	@tools/deps.sh

$(BUILD)/build.ninja: | deps
	cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)

# The papers' programs: `sluice programs` lists and runs them.
programs: all
	cmake --build $(BUILD) --target programs

test: all programs
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc)

demo: all
	@tools/demo.sh $(BUILD)

# Our figures beside GPGPU-Sim's, and our speed beside its: docs/fidelity.md.
fidelity: all
	@python3 tools/fidelity.py --build $(BUILD)

bench: all
	@python3 tools/bench.py --build $(BUILD)

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD)

format:
	tools/format.sh -i

check-format:
	tools/format.sh --dry-run -Werror

check-includes:
	tools/check_includes.sh
