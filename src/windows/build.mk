# The Windows program. It is built from here with mingw-w64 by the rules of the Makefile, which
# `make windows` calls with PLATFORM=windows; under MSYS2 plain `make` does the same with that
# system's compiler and libraries.

WINDOWS_COMPILER := x86_64-w64-mingw32-gcc
WINDOWS_TOOL := $(WINDOWS_COMPILER:gcc=)
WINDOWS_DEPS := build/windows-deps
WINDOWS_INSTALL := $(WINDOWS_DEPS)/install
WINDOWS_MAKE = $(MAKE) PLATFORM=windows COMPILER=$(WINDOWS_COMPILER)

ifeq ($(PLATFORM),windows)

EXE := .exe
B := build/windows$(addprefix -,$(filter-out release,$(FLAVOUR)))
CPPFLAGS += -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0A00 -D_POSIX_THREAD_SAFE_FUNCTIONS=200112L \
            -DNCURSES_WIDECHAR=1

ifeq ($(COMPILER),$(WINDOWS_COMPILER))
CPPFLAGS += -DNCURSES_STATIC -DPCRE2_STATIC -DXML_STATIC -isystem $(WINDOWS_INSTALL)/include -isystem $(WINDOWS_INSTALL)/include/ncursesw
LDLIBS := -L$(WINDOWS_INSTALL)/lib -ltermkey -lncursesw -lzstd -lpcre2-8 -lexpat -Wl,-Bdynamic -lunistring -Wl,-Bstatic -lm
LDFLAGS += -static-libgcc
endif
LDLIBS += -ladvapi32 -lbcrypt -lshell32 -lws2_32

# Icon-less resources: the version and the manifest.
RESOURCES := $(B)/src/windows/tracetop.res.o
WINDRES := $(COMPILER:gcc=windres)
VERSION_NUMBERS = $(subst .,$(comma),$(VERSION)),0
comma := ,

$(RESOURCES): src/windows/tracetop.rc src/windows/tracetop.manifest $(FLAG_STAMP)
	@mkdir -p $(@D)
	@$(WINDRES) -DVERSION_NUMBERS=$(VERSION_NUMBERS) '-DVERSION_TEXT=\"$(VERSION)\"' -O coff -i $< -o $@

# Tests are written for POSIX: what they use of it is in tests/windows/posix. The unit tests that
# are about other things than this program's portable parts:
# - test_instance, test_tracetop_event: the socket of the Linux endpoint
# - test_os: what src/os/os_linux.c promises by Linux's means; test_windows_os is its counterpart
# - test_symbol_linux: /proc/kallsyms; test_symbol_denied: who may read is told by fork() and mode
# - test_image_ids: paths from the root, and a pipe; windows-recordings reads images there
# - test_symbol_pdb: makes its modules with this system's shell and compilers
# Single tests that need what only POSIX has skip themselves, with the reason.
UNIT_NOT_HERE := $(UNIT_OF_SYSTEM:%=tests/unit/test_%.c)
TEST_PARTS_HERE := $(B)/tests/windows/posix/posix.o
TEST_LIBS_HERE := -Wl,-Bstatic -lpthread
POSIX := -Itests/windows/posix -include tests/windows/posix/posix.h
$(B)/tests/unit/%.o: CPPFLAGS += $(POSIX)
$(B)/tests/windows/posix/%.o: CPPFLAGS += $(POSIX)
$(B)/tests/shots.o: CPPFLAGS += $(POSIX)
# On Windows itself they need no Wine.
UNDER_WINE := $(if $(filter $(WINDOWS_COMPILER),$(COMPILER)),tests/windows/wine.sh wine)
RUN_TEST = TRACETOP_PATIENCE=600 tests/run.sh $(patsubst build/%,%,$<) $(UNDER_WINE) $<

# The program for the tests: other objects for the console's output and for loading ETW, which
# come before the library that holds the shipped ones; nothing else differs.
INSTEAD := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/etw/*_test.c)))

$(B)/tests/windows/%.o: CPPFLAGS += -Wno-format
$(B)/tests/windows/console.exe: $(B)/tests/windows/console.o
	@$(LINK) -lcmocka -L$(WINDOWS_INSTALL)/lib

$(B)/tests/windows/symbols.exe $(B)/tests/windows/download.exe: %.exe: %.o $(B)/libtracetop.a
	@$(LINK) -lcmocka $(LDLIBS)

$(B)/tracetop-test.exe: $(B)/src/main.o $(INSTEAD) $(B)/libtracetop.a $(RESOURCES)
	@$(LINK) $(LDLIBS)

endif

# ---- targets for this machine -----------------------------------------------------------

windows-deps: ## build the Windows program's libraries from source packages
	@src/windows/deps.sh $(WINDOWS_DEPS)

windows: windows-deps ## build the Windows program (needs mingw-w64)
	+@$(WINDOWS_MAKE) all build/windows/tracetop-test.exe
	@cp -u $(WINDOWS_INSTALL)/bin/*.dll build/windows

windows-deps-check: windows-deps
	@tests/run.sh windows-deps tests/windows/deps_at_once.sh $(WINDOWS_DEPS)

windows-packages:
	@tests/deps.sh $(DEPS_WINDOWS)

# What both builds print about the same files is the same.
windows-same: all windows
	@tests/run.sh windows-same tests/windows/wine.sh tests/windows/same.sh $(B)/tracetop build/windows/tracetop.exe

windows-unit-programs: windows
	+@$(WINDOWS_MAKE) unit-programs

windows-unit: windows ## the portable unit tests as Windows programs (needs wine)
	+@$(WINDOWS_MAKE) unit

# What a user unpacks and runs: the program without what only debuggers read (which lies beside
# the archive), the library that may be replaced, every license, the manual's part about Windows, and
# checksums, of the archive beside it. SIGN='COMMAND…' signs: it is called with the path of each file
# that Windows loads, and changes it in place (src/windows/README.md).
SIGN ?=
WINDOWS_NAME := tracetop-$(VERSION)-windows-x64
WINDOWS_FOLDER := build/windows/$(WINDOWS_NAME)

windows-zip: windows ## the archive for Windows users
	@rm -rf $(WINDOWS_FOLDER) $(WINDOWS_FOLDER).zip
	@mkdir -p $(WINDOWS_FOLDER)/licences
	@cp build/windows/tracetop.exe $(WINDOWS_INSTALL)/bin/libunistring-2.dll $(WINDOWS_FOLDER)
	@$(WINDOWS_TOOL)objcopy --only-keep-debug build/windows/tracetop.exe $(WINDOWS_FOLDER).debug
	@$(WINDOWS_TOOL)strip $(WINDOWS_FOLDER)/tracetop.exe
	@$(WINDOWS_TOOL)objcopy --add-gnu-debuglink=$(WINDOWS_FOLDER).debug $(WINDOWS_FOLDER)/tracetop.exe
	@cp tests/windows/first-day.ps1 $(WINDOWS_FOLDER)
	@$(if $(SIGN),for f in tracetop.exe libunistring-2.dll; do $(SIGN) $(WINDOWS_FOLDER)/$$f || exit 1; done)
	@cp LICENSE $(WINDOWS_FOLDER)/licences/tracetop.txt
	@cp $(WINDOWS_INSTALL)/licences/* $(WINDOWS_FOLDER)/licences
	@cp /usr/share/doc/mingw-w64-common/copyright $(WINDOWS_FOLDER)/licences/mingw-w64.txt
	@sed -n '/^# WINDOWS/,/^# FILES/{/^# /!p}' src/manual/tracetop.1.md | sed 's/$$/\r/' > $(WINDOWS_FOLDER)/README.txt
	@sed 's/$$/\r/' CHANGELOG.md > $(WINDOWS_FOLDER)/CHANGELOG.txt
	@cd $(WINDOWS_FOLDER) && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
	@cd build/windows && find $(WINDOWS_NAME) -type f | LC_ALL=C sort | zip -q -X -@ $(WINDOWS_NAME).zip
	@cd build/windows && sha256sum $(WINDOWS_NAME).zip > $(WINDOWS_NAME).zip.sha256
	@echo "$(WINDOWS_FOLDER).zip: $$(du -k $(WINDOWS_FOLDER).zip | cut -f1) KB"

# What an unpacked archive must do: start from its own folder, and say which it is.
windows-zip-check: windows-zip
	@tests/run.sh windows-zip tests/windows/wine.sh tests/windows/unpacked.sh $(WINDOWS_FOLDER).zip $(VERSION)

windows-trap: windows-deps ## the same tests, ended by undefined behavior
	+@$(WINDOWS_MAKE) FLAVOUR=trap unit

# However it ends, the console is as before.
windows-console: windows
	+@$(WINDOWS_MAKE) build/windows/tests/windows/console.exe
	@tests/run.sh windows-console tests/windows/wine.sh tests/windows/console.sh \
	    build/windows/tests/windows/console.exe build/windows/tracetop-test.exe

# Names by dbghelp, of modules with PDBs made here.
windows-symbols: windows
	@tests/windows/names.sh build/windows/names
	+@$(WINDOWS_MAKE) build/windows/tests/windows/symbols.exe
	@tests/run.sh windows-symbols tests/windows/wine.sh wine build/windows/tests/windows/symbols.exe build/windows/names

# Downloads by WinHTTP, from a web server of this system.
WEB := $(B)/tests/windows/web
$(WEB): $(WEB).o $(B)/libcore.a
	@$(LINK) -lcmocka $(LDLIBS)

windows-download: windows $(WEB)
	@tests/windows/names.sh build/windows/names
	+@$(WINDOWS_MAKE) build/windows/tests/windows/download.exe
	@tests/run.sh windows-download tests/windows/wine.sh tests/windows/download.sh $(WEB) \
	    build/windows/tests/windows/download.exe build/windows/names

# The same trace, the same keys, the same screens.
windows-panes: all windows
	@tests/run.sh windows-panes tests/windows/wine.sh tests/windows/panes.sh $(B)/tracetop build/windows/tracetop-test.exe

# The stage of its own: what it needs is installed first; others add their checks.
WINDOWS_CHECKS := windows-deps-check windows-same windows-unit windows-zip-check windows-symbols windows-download windows-etw windows-console windows-panes

check-windows: ## build the Windows program and run all its tests under Wine
	@MAKE='$(MAKE)' PACKAGES='$(DEPS_WINDOWS)' CHECKS='$(WINDOWS_CHECKS)' tests/check.sh windows

# The core without the files that call foreign libraries, read by the compiler of the Windows program
# and not translated: enough to keep platform calls out of it where those libraries are not at hand.
WINDOWS_FLAGS := -std=c11 $(WARNINGS) -Werror -I. -D_GNU_SOURCE -D__USE_MINGW_ANSI_STDIO=1 \
                 -D_WIN32_WINNT=0x0A00 -DTRACETOP_VERSION='"$(VERSION)"'
LIBRARY_FILES := src/base/text.c src/base/text_search.c src/base/text_encoding.c \
                 src/os/zst.c src/base/regex.c src/base/xml.c
WINDOWS_SOURCES := $(filter-out $(LIBRARY_FILES) %_linux.c,$(filter src/%,$(ALL_SOURCES)))
WINDOWS_READ := $(WINDOWS_SOURCES:%.c=build/windows-check/%.read)

build/windows-check/%.read: %.c Makefile src/windows/build.mk
	@mkdir -p $(@D)
	@$(WINDOWS_COMPILER) $(WINDOWS_FLAGS) -MMD -MP -MT $@ -MF $(@:.read=.d) -fsyntax-only $<
	@touch $@

windows-check: $(WINDOWS_READ) ## check that the core is fit for Windows
	@tests/run.sh windows-check echo "$(words $(WINDOWS_SOURCES)) files of src/ are fit for Windows"

-include $(WINDOWS_READ:.read=.d)

.PHONY: windows-deps-check windows-packages windows-unit-programs windows-trap windows-console windows-symbols windows-download windows-panes windows-deps windows windows-same windows-unit windows-zip windows-zip-check windows-check \
        check-windows

include tests/etw/build.mk
