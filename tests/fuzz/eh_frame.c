/* .eh_frame and stacks: any bytes are read within bounds, and walks end. The first 16 bytes say
 * where the table begins and what the registers are; the stack is the same bytes again. */
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/symbol/unwind.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum unwind_found find(void *table, uint64_t address, struct unwind_rule *out)
{
    if (address > 1 << 20)
        return UNWIND_NOWHERE;
    return unwind_table_find(table, address, out) ? UNWIND_RULE : UNWIND_BARE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 16 };
    uint64_t out[UNWIND_FRAMES];
    enum unwind_end end;
    if (size <= HEAD)
        return 0;
    struct unwind_table *const t =
        unwind_table_new(mem_copy(data + HEAD, size - HEAD), size - HEAD, load_u16(data));
    if (!t)
        return 0;
    for (uint64_t address = 0; address < 0x4000; address += 0x21) {
        struct unwind_state s = {
            .stack = data, .stack_bytes = size, .stack_at = load_u16(data + 2)};
        for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
            s.registers[i] = s.stack_at + data[i % HEAD];
        s.known = (1u << UNWIND_REGISTERS) - 1;
        s.registers[UNWIND_PC] = address;
        if (unwind(&s, find, t, out, UNWIND_FRAMES, &end) > UNWIND_FRAMES)
            abort();
    }
    unwind_table_free(t);
    return 0;
}
