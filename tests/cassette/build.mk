# Cassettes of real traces (tests/README.md), natively: collectors/windows' conversion is compiled with
# native/ in place of Windows' headers.

CASSETTES := $(B)/tests/cassette/cassettes
CASSETTE_NATIVE := $(B)/tests/cassette/native
CASSETTE_OBJECTS := $(patsubst %.c,$(CASSETTE_NATIVE)/%.o,$(sort $(wildcard tests/cassette/*.c)) \
                      collectors/windows/record.c collectors/windows/cassette_event.c)

$(CASSETTE_NATIVE)/%.o: %.c $(FLAG_STAMP)
	@mkdir -p $(@D)
	@$(COMPILER) -Itests/cassette/native $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(CASSETTES): $(CASSETTE_OBJECTS) $(B)/libtracetop.a
	@$(LINK) $(LDLIBS)

cassettes: $(CASSETTES) ## deliver every real trace as Windows would, through conversion and writer: the same bytes
	@tests/run.sh cassettes tests/cassette/check.sh $< $(B)/tests/cassette

.PHONY: cassettes
