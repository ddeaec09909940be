# tracetop's build. `make help` lists the targets. Flavors live side by side in
# build/<flavor>-<compiler>; a change of flags rebuilds what it must (flag stamps).
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

FLAVOUR ?= release
COMPILER ?= gcc
# Every shell on Windows has OS in its environment; what uname says there depends on the shell.
PLATFORM ?= $(if $(or $(filter Windows_NT,$(OS)),$(filter MINGW% MSYS%,$(shell uname -s))),windows,linux)
B := build/$(FLAVOUR)-$(COMPILER)

prefix ?= /usr/local
bindir ?= $(prefix)/bin
includedir ?= $(prefix)/include
docdir ?= $(prefix)/share/doc/tracetop
mandir ?= $(prefix)/share/man
bashdir ?= $(prefix)/share/bash-completion/completions
zshdir ?= $(prefix)/share/zsh/site-functions
fishdir ?= $(prefix)/share/fish/vendor_completions.d

VERSION := 0.2.0
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wundef -Wvla -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough
WERROR ?= -Werror
PKG := ncursesw termkey libzstd libpcre2-8 expat $(if $(filter linux,$(PLATFORM)),json-c)

ifeq ($(PLATFORM),windows)
BPF := no
ELF := no
CAPSTONE := no
endif

# BPF programs for the Linux collector, where libbpf and a compiler for them are there; BPF=no
# builds without.
ifndef BPF
BPF := $(shell pkg-config --exists libbpf 2>/dev/null && echo 'int x;' | \
         clang -target bpf -x c -c -o /dev/null - 2>/dev/null && echo yes || echo no)
endif
PKG += $(if $(filter yes,$(BPF)),libbpf)

# Names of programs' functions and their lines, where elfutils is there; ELF=no builds without.
ifndef ELF
ELF := $(shell pkg-config --exists libdw libelf liblzma 2>/dev/null && echo yes || echo no)
endif
PKG += $(if $(filter yes,$(ELF)),libdw libelf liblzma)

# Where functions end, from their code, where capstone is there; CAPSTONE=no builds without.
ifndef CAPSTONE
CAPSTONE := $(shell pkg-config --exists capstone 2>/dev/null && echo yes || echo no)
endif
PKG += $(if $(filter yes,$(CAPSTONE)),capstone)

# Names and lines for profilers and stack traces; the debug flavor has the variables, too.
FLAGS_release := -O2 -g1
FLAGS_debug := -O0 -g3 -DDEBUG
# Null pointers and accesses beyond an object end the program without those two checks, too: a third of
# the time to compile was theirs.
FLAGS_asan := -O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all \
              -fno-omit-frame-pointer -DDEBUG
FLAGS_tsan := -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer
# Objects of the fuzzers; their programs are linked with the fuzzer's main.
FLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
              -fno-omit-frame-pointer
# For compilers that have no run-time for sanitizers: undefined behavior ends the program.
FLAGS_trap := -O1 -g -fsanitize=undefined -fsanitize-undefined-trap-on-error -DDEBUG
ifeq ($(origin FLAGS_$(FLAVOUR)),undefined)
$(error FLAVOUR=$(FLAVOUR): expected release, debug, asan, tsan, trap or fuzz)
endif

CPPFLAGS := -I. -D_GNU_SOURCE -DTRACETOP_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PKG) 2>/dev/null)
CFLAGS ?=
ALL_CFLAGS := -std=c11 $(FLAGS_$(FLAVOUR)) $(WARNINGS) $(WERROR) $(CFLAGS)
LDLIBS := $(shell pkg-config --libs $(PKG) 2>/dev/null || echo -lncursesw -ltinfo -ltermkey -lzstd -lpcre2-8 -lexpat $(if $(filter linux,$(PLATFORM)),-ljson-c)) -lunistring -lm -pthread
LDFLAGS += $(filter -fsanitize%,$(FLAGS_$(FLAVOUR)))
# clang's programs and all unit tests are linked by lld where it is there: in a third of the time.
LLD := $(if $(filter linux,$(PLATFORM)),$(shell command -v ld.lld >/dev/null && echo -fuse-ld=lld))
LDFLAGS += $(if $(filter clang%,$(COMPILER)),$(LLD))
LINK = $(COMPILER) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^
EXE :=

ALL_SOURCES := $(sort $(shell find src ui collectors -name '*.c' ! -name '*.bpf.c'))

# Unit tests that Windows has nothing for, beside those named test_linux_*.
UNIT_OF_SYSTEM := disk_ring image_ids instance os symbol_denied symbol_linux symbol_pdb unwind_linux tracetop_event

# The program for aarch64.
include tests/arm64/build.mk

# What the Windows program is built with, and the targets that build it here.
include src/windows/build.mk

# Platform differences are files.
OTHER_PLATFORMS := $(filter-out $(PLATFORM),linux windows)
ELF_UNUSED := $(patsubst %,src/symbol/elf_%_linux.c,$(if $(filter yes,$(ELF)),file_none,file function)) \
              src/symbol/function_exit_$(if $(filter yes,$(CAPSTONE)),none_linux,linux).c
BPF_UNUSED := $(patsubst %,collectors/linux/bpf/%.c,$(if $(filter yes,$(BPF)),none,bpf bpf_functions bpf_map bpf_scope))
SOURCES := $(filter-out $(foreach p,$(OTHER_PLATFORMS),%_$(p).c collectors/$(p)/%) $(BPF_UNUSED) $(ELF_UNUSED), \
             $(ALL_SOURCES))
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
THEMES := $(sort $(wildcard themes/*.theme))
VIEWS := $(sort $(wildcard src/pane/*.view))
# Pages of the manual, the program's own first: src/manual/tracetop.1.md, src/manual/tracetop-filter.5.md …
MANUAL := $(wildcard src/manual/*.1.md) $(sort $(wildcard src/manual/*.5.md))
EMBEDDED := $(B)/ui/embedded
MANIFEST_TABLE := $(B)/src/event/manifest_table_text
BPF_OBJECT := $(B)/collectors/linux/bpf/object
CALL_NAMES := $(B)/collectors/linux/call_names
PARTS := $(filter-out $(B)/src/main.o,$(OBJECTS)) $(EMBEDDED).o $(MANIFEST_TABLE).o \
         $(if $(filter linux,$(PLATFORM)),$(CALL_NAMES).o) $(if $(filter yes,$(BPF)),$(BPF_OBJECT).o)

all: $(B)/tracetop$(EXE) ## build the program (default)

run: deps-build ## build and start the monitor (FILE=trace.etl opens it; without: live)
	@$(MAKE) all
	@$(B)/tracetop $(FILE)

# ---- packages -----------------------------------------------------------------------

# Debian packages: to build and run; to check; what single tests compare with, which are skipped
# without; to measure and draw.
DEPS_BUILD := gcc libc6-dev make pkg-config libncurses-dev libtermkey-dev libunistring-dev libzstd-dev libpcre2-dev libexpat1-dev libjson-c-dev \
              libbpf-dev libdw-dev libelf-dev liblzma-dev libcapstone-dev clang llvm
DEPS_CHECK := libcurl4 openssl libclang-rt-14-dev lld binutils xz-utils libcmocka-dev libvterm-dev gcc-mingw-w64-x86-64 spin \
              libck-dev g++ iproute2 libcap2-bin python3-jsonschema
DEPS_PEERS := linux-perf fio zsh fish groff-base
DEPS_MORE := librsvg2-bin fonts-dejavu-core clang-format
DEPS_WINDOWS := gcc-mingw-w64-x86-64 clang lld ncurses-bin xz-utils zip unzip wine wine64 tmux

deps: ## install the Debian packages that are missing (as root)
	@tests/deps.sh $(DEPS_BUILD) $(DEPS_CHECK) $(DEPS_MORE)
	@tests/deps.sh $(DEPS_PEERS) || echo "deps: tests that need these packages say that they are skipped"

deps-build:
	@tests/deps.sh $(DEPS_BUILD)

# ---- compiling --------------------------------------------------------------------

FLAG_STAMP := $(B)/.flags
FLAG_LINE := $(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) $(LDLIBS)
ifneq ($(shell cat $(FLAG_STAMP) 2>/dev/null),$(FLAG_LINE))
$(shell mkdir -p $(B) && printf '%s\n' '$(subst ','\'',$(FLAG_LINE))' > $(FLAG_STAMP))
endif

$(B)/%.o: %.c $(FLAG_STAMP)
	@mkdir -p $(@D)
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What runs once is not worth the time that -O2 takes; with sanitizers, that -O1 takes.
TESTS_FLAGS := $(if $(filter release,$(FLAVOUR)),-O1)$(if $(filter asan tsan,$(FLAVOUR)),-O0)
$(B)/tests/unit/%.o $(B)/tests/cli/%.o $(B)/tests/screens/%.o: ALL_CFLAGS += $(TESTS_FLAGS)

# What looks at the program from outside needs no sanitizers of its own.
OUTSIDE := $(addprefix $(B)/tests/,screens/screens screens/panes cli/cli cli/rights cli/monitor)
ifneq ($(filter asan tsan,$(FLAVOUR)),)
$(OUTSIDE:%=%.o) $(B)/tests/terminal.o: ALL_CFLAGS += -O1 -fno-sanitize=all -DPROGRAM_IS_SANITIZED
$(OUTSIDE): LDFLAGS := $(LLD)
$(OUTSIDE): ALL_CFLAGS += -fno-sanitize=all
endif

# For the address sanitizer, clang takes three times as long with -O1 as with -O0. The tests spend little time
# in these rooms.
ROOMS_O0 := ui/action ui/config ui/main ui/theme src/command src/export src/trace src/pane collectors/linux
$(foreach room,$(if $(filter asan,$(FLAVOUR)),$(ROOMS_O0)),$(eval $(B)/$(room)/%.o: ALL_CFLAGS += -O0))

# Themes, views and pages become strings, line by line. The folders are watched too: files come and go.
$(EMBEDDED).c: $(THEMES) $(VIEWS) $(MANUAL) themes src/pane src/manual Makefile $(FLAG_STAMP)
	@mkdir -p $(@D)
	@{ echo '#include "ui/theme/embedded.h"'; \
	   for kind in theme view page; do echo "const struct embedded_theme embedded_$${kind}s[] = {"; \
	     end=$$kind; [ $$kind = page ] && end=md; \
	     for t in $(THEMES) $(VIEWS) $(MANUAL); do case $$t in *.$$end) \
	       printf '{ "%s",\n' "$$(basename $$t .$$end)"; \
	       sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$t; printf ', %d },\n' "$$(wc -c < $$t)";; esac; done; \
	     echo '{ NULL, NULL, 0 } };'; done; } > $@

# Built-in layouts of manifest events become a string for each provider.
$(MANIFEST_TABLE).c: src/event/manifest_table.tsv src/event/manifest_table_text.sh $(FLAG_STAMP)
	@mkdir -p $(@D)
	@src/event/manifest_table_text.sh $< > $@.new && mv $@.new $@

$(EMBEDDED).o $(MANIFEST_TABLE).o: %.o: %.c
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -Wno-overlength-strings -MMD -MP -c -o $@ $<

# BPF programs are one object for the kernel's machine, without what only debuggers read (the
# type information stays), and become an array of bytes.
BPF_SOURCES := $(sort $(wildcard collectors/linux/bpf/*.bpf.c))
# Blocks stay in their order: older verifiers refuse what that order prevents (tests/bpf_loops.sh).
BPF_FLAGS := -target bpf -mcpu=v3 -O2 -g -mllvm -disable-block-placement -Wall -Wextra -Werror -Wno-unused-parameter -I. \
             $(shell pkg-config --cflags libbpf 2>/dev/null)

$(BPF_OBJECT).bpf.o: $(BPF_SOURCES) collectors/linux/bpf $(FLAG_STAMP)
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(BPF_SOURCES) | clang $(BPF_FLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -x c -c -o $@ -
	@! command -v llvm-strip >/dev/null || llvm-strip -g $@

$(BPF_OBJECT).c: $(BPF_OBJECT).bpf.o
	@{ echo '#include "collectors/linux/bpf/object.h"'; echo 'const unsigned char bpf_object_bytes[] = {'; \
	   od -An -v -tu1 $< | sed 's/[0-9][0-9]*/&,/g'; \
	   echo '}; const size_t bpf_object_size = sizeof bpf_object_bytes;'; } > $@

$(BPF_OBJECT).o: $(BPF_OBJECT).c
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

bpf-loops: $(if $(filter yes,$(BPF)),$(BPF_OBJECT).bpf.o) ## check that older kernels take the loops of the BPF programs
	@tests/run.sh bpf-loops tests/bpf_loops.sh $<

# Names of system calls, by number, as the system's headers have them; and, where it has them,
# those of the machine's 32-bit calls.
$(CALL_NAMES).c: Makefile $(FLAG_STAMP)
	@mkdir -p $(@D)
	@{ echo '#include "collectors/linux/translate/call_names.h"'; echo '#include <stddef.h>'; \
	   echo '#include <sys/syscall.h>'; \
	   echo 'struct call_name { unsigned number; const char *name; };'; \
	   echo 'static const struct call_name names[] = {'; \
	   echo '#include <sys/syscall.h>' | $(COMPILER) -E -dM - | \
	     sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/{ SYS_\1, "\1" },/p' | LC_ALL=C sort; \
	   echo '{ ~0u, NULL } };'; \
	   echo 'static const struct call_name names_32[] = {'; \
	   echo '#include <asm/unistd_32.h>' | $(COMPILER) -E -dM - 2>/dev/null | \
	     sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/{ \2, "\1" },/p' | LC_ALL=C sort; \
	   echo '{ ~0u, NULL } };'; \
	   echo 'static const char *find(const struct call_name *n, unsigned number)'; \
	   echo '{ while (n->name && n->number != number) n++; return n->name; }'; \
	   echo 'const char *call_name(unsigned number) { return find(names, number); }'; \
	   echo 'const char *call_name_32(unsigned number) { return find(names_32, number); }'; } > $@

$(CALL_NAMES).o: $(CALL_NAMES).c
	@$(COMPILER) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The second has no interface, which many tests do without.
$(B)/libtracetop.a: $(PARTS)
$(B)/libcore.a: $(filter-out $(B)/ui/%,$(PARTS))
$(B)/libtracetop.a $(B)/libcore.a:
	@rm -f $@
	@ar rcs $@ $^

$(B)/tracetop$(EXE): $(B)/src/main.o $(B)/libtracetop.a $(RESOURCES)
	@$(LINK) $(LDLIBS)

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- every change ------------------------------------------------------------------

# Screens that cross the whole program: a filter typed, help, several panes.
# What compares all answers with each other takes a quarter of the time: `make unit` runs it, too.
QUICK_LEAVES := $(patsubst %,tests/unit/test_%.c,reread find query_sums query_feeds)
QUICK_SCREENS := 04-filter 05-help 48-splits-views
QUICK_SCREEN_RUNS := $(QUICK_SCREENS:%=quick-screen-%)

quick: ## unit tests but the longest, three screens, layers, words, circles, globals, tags: the inner loop
	@$(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(($$(nproc) + 2))) layers words circles globals tags $(QUICK_SCREEN_RUNS) unit UNIT_LEFT_OUT='$(QUICK_LEAVES)'

$(QUICK_SCREEN_RUNS): quick-screen-%: $(B)/tests/screens/screens $(B)/tracetop
	@tests/run.sh screens/$* $< $(B)/tracetop $*

# Only lines that differ from BASE: the tree as a whole is not laid out anew.
BASE ?=

format: ## lay out the lines changed since BASE=COMMIT by .clang-format
	@tests/format.sh fix '$(BASE)'

format-check: ## show the changed lines that `make format` would lay out otherwise
	@tests/format.sh check '$(BASE)'

# ---- all tests ---------------------------------------------------------------------

check: deps ## build and run all tests, gcc and clang, with sanitizers
	@MAKE='$(MAKE)' tests/check.sh

# Programs run through tests/run.sh, which keeps the score of `make check`.
RUN_TEST ?= tests/run.sh $(patsubst build/%,%,$<) $<

UNIT := $(filter-out $(foreach p,$(OTHER_PLATFORMS),tests/unit/test_$(p)_%.c) $(UNIT_NOT_HERE) $(UNIT_LEFT_OUT), \
          $(sort $(wildcard tests/unit/*.c)))
UNIT_PROGRAMS := $(UNIT:tests/unit/%.c=$(B)/tests/unit/%$(EXE))
# Those that wait longest begin first.
LONGEST := tests/unit/test_recorder.c tests/unit/test_reread.c
UNIT_RUNS := $(patsubst tests/unit/%.c,$(B)/tests/unit/%.run,$(filter $(LONGEST),$(UNIT)) $(filter-out $(LONGEST),$(UNIT)))

# What tests share: linked into those that use it.
TEST_PARTS := $(B)/tests/libtest.a
$(TEST_PARTS): $(B)/tests/etl_writer.o $(B)/tests/make_etl.o $(B)/tests/watcher.o $(B)/tests/shots.o $(B)/tests/retro.o $(TEST_PARTS_HERE)
	@rm -f $@
	@ar rcs $@ $^

# In which threads meet, for the thread sanitizer: they need no interface, which is not compiled then.
THREADS := os intake schema_system symbol symbol_linux ring engine step session stats instance snapshot sources_% linux_helper linux_download
THREAD_PROGRAMS := $(filter $(THREADS:%=$(B)/tests/unit/test_%$(EXE)),$(UNIT_PROGRAMS))
$(THREAD_PROGRAMS): $(B)/tests/unit/%$(EXE): $(B)/tests/unit/%.o $(TEST_PARTS) $(B)/libcore.a
$(filter-out $(THREAD_PROGRAMS),$(UNIT_PROGRAMS)): $(B)/tests/unit/%$(EXE): $(B)/tests/unit/%.o $(TEST_PARTS) $(B)/libtracetop.a
$(UNIT_PROGRAMS):
	@$(LINK) $(LLD) -lcmocka $(LDLIBS) $(TEST_LIBS_HERE)

unit: $(UNIT_RUNS) ## build and run the unit tests of this flavor

# The others run with gcc's optimizer in `make check-windows`, and with sanitizers in `make check`.
unit-linux: $(filter $(B)/tests/unit/test_linux_%.run $(UNIT_OF_SYSTEM:%=$(B)/tests/unit/test_%.run),$(UNIT_RUNS)) ## those of them that are not built for Windows

unit-programs: $(UNIT_PROGRAMS)

$(UNIT_RUNS): %.run: %$(EXE)
	@$(RUN_TEST)

threads: $(THREAD_PROGRAMS:$(EXE)=.run) ## the unit tests that start threads

san: san-addresses san-threads ## all tests but live ones under the address, undefined-behavior and thread sanitizers

# What takes longest begins first, so that nothing is left to run alone at the end.
san-addresses:
	@$(MAKE) FLAVOUR=asan COMPILER=clang outside-programs
	@$(MAKE) FLAVOUR=asan COMPILER=clang screens cli unit replay

san-threads:
	@$(MAKE) FLAVOUR=tsan COMPILER=clang threads

# The built program from outside: as a shell sees it, and on a pseudo-terminal. What that takes is built
# by a call of make of its own: in one call with the unit tests, make compiles all of these before it
# comes back to start the screens, which then run alone. What live tests share with the others is built
# here, too: tests/check.sh makes both at once.
outside-programs: all $(B)/tests/cli/cli $(B)/tests/screens/screens $(if $(filter release,$(FLAVOUR)),$(B)/tests/screens/panes $(TEST_PARTS) $(B)/libtracetop.a)

$(B)/tests/cli/cli: $(B)/tests/cli/cli.o
	@$(LINK) -lcmocka

$(B)/tests/cli/rights: $(B)/tests/cli/rights.o $(B)/tests/terminal.o
	@$(LINK) -lcmocka -lvterm

rights: $(B)/tests/cli/rights $(B)/tracetop ## check what rights the program has and gives up (as root)
	@$(RUN_TEST) $(B)/tracetop

$(B)/tests/cli/mcp: $(B)/tests/cli/mcp.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(LINK) -lcmocka $(LDLIBS)

mcp: $(B)/tests/cli/mcp $(B)/tracetop ## check the server for language models by a client of its own
	@$(RUN_TEST) $(B)/tracetop

$(B)/tests/cli/monitor: $(B)/tests/cli/monitor.o $(B)/tests/terminal.o
	@$(LINK) -lcmocka -lvterm

monitor: $(B)/tests/cli/monitor $(B)/tracetop ## ask a monitor on a terminal, as other programs do
	@$(RUN_TEST) $(B)/tracetop

# With the protocol's own client library: not in `make check`, which fetches Debian packages only.
MCP_TRACE ?= ../shared/etl/perfview-win7-PerfViewData.etl.zst
mcp-client: $(B)/tracetop ## the same by the protocol's own client library (needs node and npm; fetches the library)
	@mkdir -p build/mcp-client && cp tests/mcp/package.json tests/mcp/client.mjs build/mcp-client
	@cd build/mcp-client && npm install --silent --no-audit --no-fund && \
	  node client.mjs '$(abspath $(B)/tracetop)' '$(abspath $(MCP_TRACE))'

KILL_CHECK := $(B)/tests/kill_check
$(KILL_CHECK): $(KILL_CHECK).o $(B)/libtracetop.a
	@$(LINK) $(LDLIBS)

# Each of these knows nothing of the others: they run side by side.
CLI_TESTS := $(shell grep '^    {"[a-z_]*", ROWS' tests/cli/cli.c | grep -o '"[a-z_]*"' | tr -d '"') mounted others
CLI_RUNS := $(CLI_TESTS:%=cli-test-%)
FIGURES := sums-check columns-check whole-check language-check decoded-check
# What these compare is the same in all flavors, and the code they run is the others'.
CLI_SCRIPTS := $(FIGURES) manual-check oneliners-check dotnet-check details-check providers-check answers-check recorder-check twapi-check spans-check selftest-check kill-record-check

cli: $(if $(filter release,$(FLAVOUR)),$(CLI_SCRIPTS) cassettes) $(CLI_RUNS) rights mcp monitor ## check what commands print and how they end

$(CLI_RUNS): cli-test-%: $(B)/tests/cli/cli $(B)/tracetop
	@tests/run.sh $(B:build/%=%)/tests/cli/$* $< $(B)/tracetop $*

manual-check: $(B)/tracetop
	@MAKE='$(MAKE) FLAVOUR=$(FLAVOUR) COMPILER=$(COMPILER)' tests/run.sh tests/manual.sh tests/manual.sh $<

$(FIGURES) oneliners-check dotnet-check details-check providers-check answers-check recorder-check twapi-check spans-check: %-check: $(B)/tracetop
	@tests/run.sh tests/$*.sh tests/$*.sh $<

# The report that the Windows program made under Wine (make windows-selftest-update).
selftest-check: $(B)/tracetop
	@tests/run.sh tests/selftest.sh tests/selftest.sh $< tests/data/selftest-windows.json:windows

kill-record-check: $(B)/tracetop $(KILL_CHECK)
	@tests/run.sh tests/kill_record.sh tests/kill_record.sh $^ 6 100000
	@tests/run.sh tests/kill_record.sh-ring tests/kill_record.sh $^ 6 100000 ring

kill-functions: $(B)/tests/live/live_function $(B)/tracetop ## kill whoever watches functions 200 times: nothing stays in the programs (as root)
	@ROUNDS=200 $(B)/tests/live/live_function

figures: $(FIGURES) ## check what the columns of panes say against counts of the records

kill-record: $(KILL_CHECK) $(B)/tracetop ## kill 50 recordings and 200 recorders at random moments and read what is left
	@tests/kill_record.sh $(B)/tracetop $(KILL_CHECK) 50
	@tests/kill_record.sh $(B)/tracetop $(KILL_CHECK) 200 100000 ring

$(B)/tests/screens/screens $(B)/tests/screens/panes: %: %.o $(B)/tests/terminal.o
	@$(LINK) -lcmocka -lvterm

$(B)/tests/screens/panes: $(B)/tests/frame_check.o

# A crash is part of some cases: the sanitizer leaves those signals to the program.
JOURNALS := $(B)/tests/screens/journals
SCREENS_ENV := ASAN_OPTIONS=handle_segv=0:handle_abort=0

# Cases wait for the program most of their time: several parts run side by side.
SCREEN_PARTS := 1/4 2/4 3/4 4/4
SCREEN_PART_RUNS := $(SCREEN_PARTS:%=screens-part-%)

screens: $(if $(CASE),screens-case,$(SCREEN_PART_RUNS) $(if $(filter release,$(FLAVOUR)),panes)) ## check whole screens (CASE=part of a name)

screens-ready: $(B)/tests/screens/screens $(B)/tracetop
	@mkdir -p $(JOURNALS) && rm -f $(JOURNALS)/*.log

screens-case: $(B)/tests/screens/screens screens-ready
	@exec env $(SCREENS_ENV) TRACETOP_JOURNALS=$(abspath $(JOURNALS)) $(RUN_TEST) $(B)/tracetop $(CASE)

$(SCREEN_PART_RUNS): screens-part-%: screens-ready
	@exec env $(SCREENS_ENV) TRACETOP_JOURNALS=$(abspath $(JOURNALS)) tests/run.sh \
	  $(B:build/%=%)/tests/screens/$* $(B)/tests/screens/screens --part $* $(B)/tracetop

covered: screens ## check that every command of a key and every filter field is in a test (-v: which)
	@tests/run.sh tests/covered.sh tests/covered.sh $(B)/tracetop $(JOURNALS)

panes: $(B)/tests/screens/panes $(B)/tracetop ## check every pane by the interface's checklist
	@$(RUN_TEST) $(B)/tracetop

screens-update: $(B)/tests/screens/screens $(B)/tracetop ## rewrite the expected screens
	@$(SCREENS_ENV) $< --update $(B)/tracetop $(CASE)

# ---- live tests (as root) -----------------------------------------------------------

# The live collector against what the system itself counts: each program skips, with the
# reason, where events cannot be opened.
LIVE := $(sort $(wildcard tests/live/live_*.c))
LIVE_RUNS := $(LIVE:tests/live/%.c=$(B)/tests/live/%.run)

$(B)/tests/live/live_%: $(B)/tests/live/live_%.o $(B)/tests/live/harness.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(LINK) -lcmocka $(LDLIBS)

$(B)/tests/live/live_asked $(B)/tests/live/live_hardship $(B)/tests/live/live_tracefs: %: %.o $(B)/tests/terminal.o $(B)/libtracetop.a
	@$(LINK) -lcmocka -lvterm $(LDLIBS)

$(B)/tests/live/live_rights $(B)/tests/live/live_recorder: %: %.o $(B)/tests/terminal.o $(B)/tests/live/harness.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(LINK) -lcmocka -lvterm $(LDLIBS)

# They run the program, or copies of it.
$(B)/tests/live/live_symbols.run $(B)/tests/live/live_rights.run $(B)/tests/live/live_record.run $(B)/tests/live/live_older.run $(B)/tests/live/live_hardship.run $(B)/tests/live/live_tracefs.run \
$(B)/tests/live/live_asked.run $(B)/tests/live/live_machine.run $(B)/tests/live/live_sums.run $(B)/tests/live/live_dump.run $(B)/tests/live/live_recorder.run \
$(B)/tests/live/live_tracepoint.run $(B)/tests/live/live_function.run: $(B)/tracetop

# It runs the tests beside it.
$(B)/tests/live/live_older.run: $(B)/tests/live/live_network $(B)/tests/live/live_sources

live: $(LIVE_RUNS) live-selftest ## check live collection against the system's own counts (as root)

# One after the other on this machine, whosever they are: while a tracer comes or goes, the kernel calls
# nobody for its events.
LIVE_LOCK := $(firstword $(wildcard /run/lock) build)/tracetop-live.lock

$(LIVE_RUNS): %.run: %
	@flock $(LIVE_LOCK) tests/run.sh $(patsubst build/%,%,$<) tests/live/run.sh $<

live-selftest: $(B)/tracetop
	@flock $(LIVE_LOCK) tests/run.sh live-selftest tests/live/run.sh tests/live/selftest.sh $<

$(B)/tests/live/soak: $(B)/tests/live/soak.o $(B)/tests/terminal.o $(B)/libtracetop.a
	@$(LINK) -lvterm $(LDLIBS)

MINUTES ?= 10
MIB ?= 400
soak: $(B)/tests/live/soak $(B)/tracetop ## the live monitor for MINUTES=10 under load, within MIB=400 of memory, with ARGS, keys pressed all the time (as root; stress-ng)
	@$< $(B)/tracetop $(MINUTES) $(MIB) $(ARGS) || [ $$? -eq 77 ]

check-probes: $(B)/tracetop ## functions of Rust and Go (fetches packages; as root)
	@tests/deps.sh rustc golang-go
	@tests/run.sh probes tests/probes.sh $<

check-debian12: $(B)/tracetop ## the program on a kernel of Debian 12, in an emulated machine (fetches packages)
	@tests/deps.sh qemu-system-x86 busybox-static cpio g++
	@tests/run.sh debian12 tests/vm/debian12.sh $< build/vm

# Cassettes of real traces: what ETW delivers, natively.
include tests/cassette/build.mk

# ---- protocol and layers ------------------------------------------------------------

# The ring's protocol as a model: it must hold, and its broken variants must fail.
model: ## check the model of the ring's protocol (spin)
	@tests/run.sh model tests/model/run.sh build/model

workflow: ## check that each step of the hosted workflow is a target here
	@tests/run.sh workflow tests/workflow.sh .github/workflows/check.yml

layers: workflow ## check who includes whom, who writes to people, and how long files are
	@tests/run.sh layers tests/layers.sh
	@tests/run.sh writes tests/writes.sh
	@tests/run.sh lengths tests/lengths.sh

words: ## check that names and comments use the terms of tests/words.table
	@tests/run.sh words tests/words.sh

circles: $(B)/tracetop ## check which rooms call which, and that files of a room call each other one way
	@tests/run.sh circles tests/circles.sh $(B)

globals: $(B)/tracetop ## check that no global name is also one of a library
	@tests/run.sh globals tests/globals.sh $(B)/libtracetop.a $<

tags: ## check that no two headers define a tag
	@tests/run.sh tags tests/tags.sh

# ---- fuzzing ------------------------------------------------------------------------

# Each tests/fuzz/<name>.c defines LLVMFuzzerTestOneInput; beside it there may be a
# dictionary <name>.dict and a corpus corpus/<name>/. replay.c runs the corpora without
# a fuzzer, in any flavor.
SECONDS ?= 60
FUZZ := $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/*.c))))
REPLAYS := $(FUZZ:%=$(B)/tests/fuzz/%-replay)

$(B)/tests/fuzz/%-replay: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(B)/libtracetop.a
	@$(LINK) $(LDLIBS)

replay: $(REPLAYS:%=%.run) ## run every fuzzer's corpus once, without a fuzzer

$(REPLAYS:%=%.run): $(B)/tests/fuzz/%-replay.run: $(B)/tests/fuzz/%-replay
	@$(RUN_TEST) tests/fuzz/corpus/$*

ifeq ($(FLAVOUR),fuzz)
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libtracetop.a
	@$(COMPILER) $(ALL_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

fuzz-%: $(B)/tests/fuzz/%
	@mkdir -p $(B)/corpus/$* $(B)/failed tests/fuzz/corpus/$*
	@echo "── $*: $(SECONDS) s"
	@$< -max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=2500 -verbosity=0 \
	   -print_final_stats=1 -artifact_prefix=$(B)/failed/$*- \
	   $(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
	   $(B)/corpus/$* tests/fuzz/corpus/$* >$(B)/$*.log 2>&1; status=$$?; \
	 grep -E 'stat::number_of_executed|stat::peak|ERROR|SUMMARY|Test unit written' $(B)/$*.log; \
	 [ $$status -eq 0 ] && echo "── $*: no finding" || { tail -40 $(B)/$*.log; exit $$status; }
endif

fuzz: ## run every fuzzer for SECONDS each (default 60)
	@$(MAKE) -k -j$$(nproc) FLAVOUR=fuzz COMPILER=clang $(FUZZ:%=fuzz-%)

# ---- measuring and drawing ----------------------------------------------------------

BENCH := $(sort $(wildcard tests/bench/*.c))
BENCH_PROGRAMS := $(BENCH:tests/bench/%.c=$(B)/tests/bench/%)

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(TEST_PARTS) $(B)/libtracetop.a
	@$(LINK) -lck -lcmocka $(LDLIBS)

$(B)/tests/bench/bench_keys $(B)/tests/bench/bench_frames: %: %.o $(B)/tests/terminal.o
	@$(LINK) -lvterm

bench: $(BENCH_PROGRAMS) $(B)/tracetop ## print the speed figures beside their limits and peers
	@status=0; for b in $(BENCH_PROGRAMS); do $$b || status=1; done; exit $$status

$(B)/tests/bench/live/bench_live: $(B)/tests/bench/live/bench_live.o $(B)/tests/terminal.o $(B)/libtracetop.a
	@$(LINK) -lvterm $(LDLIBS)

bench-live: $(B)/tests/bench/live/bench_live $(B)/tracetop ## print what watching this machine costs, beside its peers (as root)
	@$< $(B)/tracetop $(PART)

$(B)/tests/screens/random_keys: $(B)/tests/screens/random_keys.o $(B)/tests/terminal.o
	@$(LINK) -lvterm $(LDLIBS)

random-keys: $(B)/tests/screens/random_keys $(B)/tracetop ## random keys for SECONDS=60 from SEED=1, with ARGS (a trace): best with FLAVOUR=asan COMPILER=clang
	@room=$$(mktemp -d) && cd $$room && $(CURDIR)/$< $(CURDIR)/$(B)/tracetop $(SECONDS) $(or $(SEED),1) $(ARGS); \
	    status=$$?; rm -rf $$room; exit $$status

screenshots: $(B)/tracetop ## draw the pictures in screenshots/
	@tests/pictures.sh $(B)/tracetop

# ---- installing ---------------------------------------------------------------------

INSTALL ?= install

# Pages for man: tracetop.1 goes to man1/tracetop.1. A recipe line for each.
MAN_PAGES := $(patsubst src/manual/%.md,%,$(MANUAL))
MAN_PATH = '$(DESTDIR)$(mandir)/man$(subst .,,$(suffix $(1)))/$(1)'
define install_page
$(B)/tracetop manual $(1) -O roff > $(MAN_PATH)

endef

install: $(B)/tracetop ## install (prefix=/usr/local, DESTDIR=)
	$(INSTALL) -d $(patsubst %,'$(DESTDIR)%',$(bindir) $(docdir) $(mandir)/man1 $(mandir)/man5 $(bashdir) $(zshdir) $(fishdir))
	$(INSTALL) -m 755 $(B)/tracetop '$(DESTDIR)$(bindir)/tracetop'
	$(INSTALL) -d '$(DESTDIR)$(includedir)'
	$(INSTALL) -m 644 src/tracetop_event.h '$(DESTDIR)$(includedir)'
	$(INSTALL) -m 644 README.md CHANGELOG.md LICENSE '$(DESTDIR)$(docdir)'
	$(foreach p,$(MAN_PAGES),$(call install_page,$(p)))
	$(B)/tracetop completions bash > '$(DESTDIR)$(bashdir)/tracetop'
	$(B)/tracetop completions zsh > '$(DESTDIR)$(zshdir)/_tracetop'
	$(B)/tracetop completions fish > '$(DESTDIR)$(fishdir)/tracetop.fish'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(bindir)/tracetop' '$(DESTDIR)$(includedir)/tracetop_event.h' $(foreach p,$(MAN_PAGES),$(call MAN_PATH,$(p))) \
	      '$(DESTDIR)$(bashdir)/tracetop' '$(DESTDIR)$(zshdir)/_tracetop' '$(DESTDIR)$(fishdir)/tracetop.fish'
	rm -f $(addprefix '$(DESTDIR)$(docdir)'/,README.md CHANGELOG.md LICENSE)
	-rmdir '$(DESTDIR)$(docdir)' 2>/dev/null

clean: ## remove everything that was built
	rm -rf build

# Groups are the section headings of the makefiles.
help: ## list the targets
	@awk 'BEGIN { title = "building" } \
	   FNR == 1 && NR > 1 { title = FILENAME ~ /arm64/ ? "aarch64" : "Windows (tests/README.md)" } \
	   NR == FNR && /^# ---- / { title = $$0; gsub(/^# -+ | -+$$/, "", title) } \
	   /^[a-z0-9-]+:.*## / { name = $$1; sub(/:.*/, "", name); sub(/.*## /, ""); \
	     if (title != last) printf "%s%s\n", last ? "\n" : "", title; \
	     last = title; printf "  %-16s %s\n", name, $$0 }' \
	   Makefile src/windows/build.mk tests/etw/build.mk tests/arm64/build.mk

.PHONY: all bpf-loops screens-ready screens-case globals unit-programs outside-programs san-addresses san-threads deps deps-build run quick $(QUICK_SCREEN_RUNS) format format-check check unit unit-linux random-keys live $(UNIT_RUNS) $(LIVE_RUNS) threads san soak cli mcp monitor mcp-client $(CLI_RUNS) $(CLI_SCRIPTS) figures kill-record kill-functions check-debian12 check-probes selftest-check live-selftest covered screens panes \
        screens-update model workflow layers words circles tags replay $(REPLAYS:%=%.run) fuzz bench bench-live screenshots install \
        uninstall clean help
.SECONDARY:
