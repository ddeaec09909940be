# The stand-in for ETW and what is run against it under Wine. Included by src/windows/build.mk.

ifeq ($(PLATFORM),windows)

ETW_FAKE := $(B)/etwfake.dll
ETW_FAKE_OBJECTS := $(patsubst %.c,$(B)/%.o, \
                      $(filter-out %_test.c tests/etw/test_%,$(sort $(wildcard tests/etw/*.c))))

$(ETW_FAKE): $(ETW_FAKE_OBJECTS) tests/etw/exports.def $(B)/libtracetop.a
	@$(LINK) -shared $(LDLIBS)

$(B)/tests/etw/test_%.exe: $(B)/tests/etw/test_%.o $(B)/tests/etw/etw_load_test.o $(B)/libtracetop.a
	@$(LINK) -lcmocka $(LDLIBS)

etw-fake: $(ETW_FAKE) $(B)/tests/etw/test_etwfake.exe

endif

# The stand-in is as strict as what it stands in for.
windows-etw: windows
	+@$(WINDOWS_MAKE) etw-fake
	@cp -u $(WINDOWS_INSTALL)/bin/*.dll build/windows/tests/etw
	@tests/run.sh windows-etw tests/windows/wine.sh wine build/windows/tests/etw/test_etwfake.exe build/windows/etwfake.dll

.PHONY: etw-fake windows-etw
