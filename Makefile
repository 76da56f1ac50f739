# Two commands for a fresh clone: `make demo` and `make test`. They need Python 3.11 or later, pip, make and
# a C++ compiler; everything else goes into a virtual environment of the project's own.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src cpp -name '*.py' -o -name '*.[ch]pp' -o -name '*.css' -o -name '*.html' -o -name '*.js' -o -name '*.svg' -o -name '*.json' -o -name '*.tsv' -o -name '*.grammar' -o -name '*.lexicon') \
           pyproject.toml CMakeLists.txt
# Folders of the project, so that scripts of your own in a clone are not checked.
CHECKED := src tests benchmarks experiments tools docs

.PHONY: demo test check pytest sanitize benchmark site clean

demo: $(VENV)/.installed
	$(BIN)/bistro demo
	@echo "(to put bistro on your path: . $(BIN)/activate)"

test: check pytest

# Style, types, and nothing else.
check: $(VENV)/.test-installed
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy

pytest: $(VENV)/.test-installed
	$(BIN)/python -m pytest -n 3 --dist loadgroup --durations 25

# The core's tests under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/.test-installed
	bash tools/sanitize.sh $(BIN)/python

# The documentation as a site, in site/.
site: $(VENV)/.test-installed
	PYTHONPATH=tools $(BIN)/zensical build --strict --clean

benchmark: $(VENV)/.test-installed
	$(BIN)/python -m benchmarks all

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	@echo "compiling Bistro: about four minutes on one core, once; nothing is shown until it is done"
	$(BIN)/python -m pip install --quiet .
	touch $@

# The extras of the installed package, without compiling it again. The stub that the build makes is put beside the sources
# too, where mypy looks for it.
$(VENV)/.test-installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet 'bistro-syntax[test]'
	cp $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/bistro/_core.pyi src/bistro/
	touch $@

clean:
	rm -rf $(VENV) build dist site src/bistro/_core.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
