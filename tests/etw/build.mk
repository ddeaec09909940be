# The stand-in for ETW and what is run against it under Wine. Included by src/windows/build.mk.

ifeq ($(PLATFORM),windows)

ETW_FAKE := $(B)/etwfake.dll
ETW_FAKE_OBJECTS := $(patsubst %.c,$(B)/%.o, \
                      $(filter-out %_test.c tests/etw/test_%,$(sort $(wildcard tests/etw/*.c))) \
                      tests/cassette/deliver.c)

# It names a PDB, as modules of Windows do: recordings are to repeat that.
$(ETW_FAKE): $(ETW_FAKE_OBJECTS) tests/etw/exports.def $(B)/libtracetop.a
	@$(LINK) -shared -Wl,--build-id,--pdb=$(B)/etwfake.pdb $(LDLIBS)

$(B)/tests/etw/test_%.exe: $(B)/tests/etw/test_%.o $(B)/tests/etw/etw_load_test.o $(B)/libtracetop.a
	@$(LINK) -lcmocka $(LDLIBS)

etw-fake: $(ETW_FAKE) $(B)/tests/etw/test_etwfake.exe $(B)/tests/etw/test_arguments.exe

endif

etw-built: windows
	+@$(WINDOWS_MAKE) etw-fake
	@cp -u $(WINDOWS_INSTALL)/bin/*.dll build/windows/tests/etw

# The stand-in is as strict as what it stands in for.
windows-etw: etw-built
	@for t in test_arguments test_etwfake; do \
	   tests/run.sh windows-etw/$$t tests/windows/wine.sh wine build/windows/tests/etw/$$t.exe build/windows/etwfake.dll || exit 1; \
	 done

# What the self-test reports over the stand-in, whose machine does other things than the stimuli.
SELFTEST_REPORT := build/windows/selftest.json

windows-selftest: etw-built $(B)/tracetop $(B)/tests/cassette/cassettes
	@tests/run.sh windows-selftest tests/windows/wine.sh tests/windows/selftest.sh $(B)/tracetop build/windows/tracetop-test.exe $(SELFTEST_REPORT) $(B)/tests/cassette/cassettes

windows-sessions: etw-built ## control sessions of the stand-in, and a recorder in the background (needs wine)
	@tests/run.sh windows-sessions tests/windows/wine.sh tests/windows/sessions.sh build/windows/tracetop-test.exe

windows-twapi: etw-built ## the table of TWAPI's commands (needs wine; `make twapi-check`: the lines of Linux)
	@tests/run.sh windows-twapi tests/windows/wine.sh tests/twapi.sh build/windows/tracetop-test.exe

windows-selftest-update: windows-selftest
	@cp $(SELFTEST_REPORT) tests/data/selftest-windows.json

# The program over the stand-in: whole screens on a pseudo-terminal, and everything that can go
# wrong. Both are programs of this machine that start Wine.
WINDOWS_CASES := tests/windows/screens

windows-screens: etw-built $(B)/tracetop $(B)/tests/screens/screens ## check whole screens of the Windows program (needs wine; CASE=part of a name)
	@tests/run.sh windows-screens $(B)/tests/screens/screens --cases $(WINDOWS_CASES) tests/windows/screen.sh $(CASE)

$(B)/tests/windows/faults: $(B)/tests/windows/faults.o
	@$(LINK) -lcmocka

windows-faults: etw-built $(B)/tracetop $(B)/tests/windows/faults ## let everything fail that can fail under the Windows program (needs wine)
	@TRACETOP_HERE=$(B)/tracetop TRACETOP_PATIENCE=600 tests/run.sh windows-faults $(B)/tests/windows/faults $(CASE)

$(B)/tests/windows/recordings: $(B)/tests/windows/recordings.o
	@$(LINK) -lcmocka

windows-recordings: etw-built $(B)/tests/windows/recordings ## check what other readers ask of recordings of the Windows program (needs wine)
	@tests/run.sh windows-recordings $(B)/tests/windows/recordings

$(B)/tests/windows/bench: $(B)/tests/windows/bench.o $(B)/tests/terminal.o
	@$(LINK) -lvterm

$(B)/tests/windows/unkind: $(B)/tests/windows/unkind.o $(B)/tests/etw/unkind.o
	@$(LINK)

windows-unkind: etw-built $(B)/tracetop $(B)/tests/windows/unkind ## run the Windows program over everything that Windows does and a kind stand-in would not (needs wine)
	@TRACETOP_HERE=$(B)/tracetop tests/run.sh windows-unkind $(B)/tests/windows/unkind $(CASE)

bench-windows: etw-built $(B)/tests/windows/bench ## print how fast the Windows program takes events (needs wine)
	@$(B)/tests/windows/bench

WINDOWS_CHECKS += windows-faults windows-unkind windows-recordings windows-screens windows-selftest windows-sessions windows-twapi

.PHONY: windows-sessions windows-twapi windows-selftest windows-selftest-update etw-fake etw-built windows-etw windows-screens windows-faults windows-unkind windows-recordings bench-windows
