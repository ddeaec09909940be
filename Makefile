# tracetop's build. `make help` lists the targets. Flavours live side by side in
# build/<flavour>; a change of flags rebuilds what it must (flag stamps).
MAKEFLAGS += --no-print-directory --no-builtin-rules
.SUFFIXES:

FLAVOUR ?= release
COMPILER ?= gcc
B := build/$(FLAVOUR)-$(COMPILER)

VERSION := 0.1.0
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wundef -Wvla -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough
WERROR ?= -Werror
PKG := ncursesw termkey libzstd

FLAGS_release := -O2 -g
FLAGS_debug := -O0 -g3 -DDEBUG
FLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DDEBUG
FLAGS_tsan := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
ifeq ($(origin FLAGS_$(FLAVOUR)),undefined)
$(error FLAVOUR=$(FLAVOUR): expected release, debug, asan or tsan)
endif

CPPFLAGS := -I. -D_GNU_SOURCE -DTRACETOP_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PKG) 2>/dev/null)
CFLAGS ?=
ALL_CFLAGS := -std=c11 $(FLAGS_$(FLAVOUR)) $(WARNINGS) $(WERROR) $(CFLAGS)
LDLIBS := $(shell pkg-config --libs $(PKG) 2>/dev/null || echo -lncursesw -ltinfo -ltermkey -lzstd) -lunistring -lm -pthread
LDFLAGS += $(filter -fsanitize%,$(FLAGS_$(FLAVOUR)))

# Platform differences are files.
PLATFORM := linux
OTHER_PLATFORMS := windows
SOURCES := $(filter-out $(foreach p,$(OTHER_PLATFORMS),%_$(p).c), \
             $(sort $(wildcard src/*.c src/*/*.c ui/*.c collectors/*.c)))
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
THEMES := $(sort $(wildcard themes/*.theme))
EMBEDDED := $(B)/ui/embedded
PARTS := $(filter-out $(B)/src/main.o,$(OBJECTS)) $(EMBEDDED).o
UNIT := $(sort $(wildcard tests/unit/*.c))
UNIT_PROGRAMS := $(UNIT:tests/unit/%.c=$(B)/tests/unit/%)

all: $(B)/tracetop ## build the program (default)

# ---- compiling --------------------------------------------------------------------

FLAG_STAMP := $(B)/.flags
FLAG_LINE := $(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS)
ifneq ($(shell cat $(FLAG_STAMP) 2>/dev/null),$(FLAG_LINE))
$(shell mkdir -p $(B) && printf '%s\n' '$(subst ','\'',$(FLAG_LINE))' > $(FLAG_STAMP))
endif

$(B)/%.o: %.c $(FLAG_STAMP)
	@mkdir -p $(@D)
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Themes become strings, line by line.
$(EMBEDDED).c: $(THEMES) $(FLAG_STAMP)
	@mkdir -p $(@D)
	@{ echo '#include "ui/embedded.h"'; echo 'const struct embedded_theme embedded_themes[] = {'; \
	   for t in $(THEMES); do printf '{ "%s",\n' "$$(basename $$t .theme)"; \
	     sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$t; printf ', %d },\n' "$$(wc -c < $$t)"; done; \
	   echo '{ NULL, NULL, 0 } };'; } > $@

$(EMBEDDED).o: $(EMBEDDED).c
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libtracetop.a: $(PARTS)
	@rm -f $@
	@ar rcs $@ $^

$(B)/tracetop: $(B)/src/main.o $(B)/libtracetop.a
	@$(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What tests share: linked into those that use it.
TEST_PARTS := $(B)/tests/libtest.a
$(TEST_PARTS): $(B)/tests/etl_writer.o $(B)/tests/make_etl.o
	@rm -f $@
	@ar rcs $@ $^

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- checking ---------------------------------------------------------------------

unit: $(UNIT_PROGRAMS) ## build and run the unit tests of this flavour
	@set -e; for t in $(UNIT_PROGRAMS); do $$t; done

# The built program from outside: as a shell sees it, and on a pseudo-terminal.

$(B)/tests/cli/cli: $(B)/tests/cli/cli.o
	@$(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka

cli: $(B)/tests/cli/cli $(B)/tracetop ## check what commands print and how they end
	@$< $(B)/tracetop

$(B)/tests/screens/screens: $(B)/tests/screens/screens.o $(B)/tests/terminal.o
	@$(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lvterm

# A crash is part of some cases: the sanitizer leaves those signals to the program.
SCREENS_ENV := ASAN_OPTIONS=handle_segv=0:handle_abort=0

screens: $(B)/tests/screens/screens $(B)/tracetop ## check whole screens (CASE=part of a name)
	@$(SCREENS_ENV) $< $(B)/tracetop $(CASE)

screens-update: $(B)/tests/screens/screens $(B)/tracetop ## rewrite the expected screens
	@$(SCREENS_ENV) $< --update $(B)/tracetop $(CASE)

# The ring's protocol as a model: it must hold, and its broken variants must fail.
model: ## check the model of the ring's protocol (spin)
	@tests/model/run.sh build/model

# ---- measuring --------------------------------------------------------------------

BENCH := $(sort $(wildcard tests/bench/*.c))
BENCH_PROGRAMS := $(BENCH:tests/bench/%.c=$(B)/tests/bench/%)

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lck -lcmocka $(LDLIBS)

bench: $(BENCH_PROGRAMS) ## print the speed figures beside their limits and peers
	@status=0; for b in $(BENCH_PROGRAMS); do $$b || status=1; done; exit $$status

# -----------------------------------------------------------------------------------

clean: ## remove everything that was built
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: all unit cli screens screens-update model bench clean help
.SECONDARY:
