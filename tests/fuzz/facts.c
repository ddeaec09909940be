/* Events of the manifest providers that facts are made of, with any payload: the bytes are a list
 * of events, each with a head that chooses provider, id, version, pointer size, thread and length.
 * Times, names and stacks that they make must stay within bounds. */
#include "tests/fuzz/fields.h"

#include "src/base/mem.h"
#include "src/event/providers.h"
#include "src/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { FACTS = 4096, MOST_EVENTS = 1000 };

static bool next_event(struct bytes *b, unsigned number, struct event *e, uint8_t **payload)
{
    static const struct guid *const providers[] = {
        &kernel_process_provider, &dotnet_provider,       &dotnet_rundown_provider,
        &kernel_network_provider, &kernel_file_provider,  &kernel_disk_provider,
        &winsock_provider,        &http_service_provider, &wininet_provider,
        &webio_provider};
    static const uint16_t first_ids[] = {[6] = 1000, [8] = 900};
    const uint8_t how = bytes_u8(b), thread = bytes_u8(b);
    const uint16_t id = bytes_u16(b), length = bytes_u16(b);
    const unsigned of = how % (sizeof providers / sizeof *providers);
    const size_t taken = length < b->left ? length : b->left;
    if (b->bad)
        return false;
    *payload = mem_new(taken + 1, 1);
    memcpy(*payload, b->at, taken);
    bytes_skip(b, taken);
    *e = (struct event){.kind = HEADER_MANIFEST,
                        .provider = *providers[of],
                        .id = (uint16_t)(id % 310 + (of < 9 ? first_ids[of] : 0)),
                        .version = how >> 2 & 7,
                        .pointer = how & 0x20 ? 4 : 8,
                        .pid = thread >> 4,
                        .tid = thread & 15,
                        .ts = number * 10,
                        .payload = *payload,
                        .payload_bytes = (uint32_t)taken};
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes);
    struct model m;
    struct facts facts;
    struct event e;
    uint8_t *payload;
    uint64_t frames[2 * STACK_FRAMES];
    model_init_for(&m, FACTS);
    model_sources(&m, 1);
    facts_init(&facts, FACTS);
    m.facts = &facts;
    for (unsigned i = 0; i < MOST_EVENTS && next_event(&b, i, &e, &payload); i++) {
        struct fact *const f = facts_add(&facts);
        model_fact(&m, &e, 0, i * 1000, f);
        must(f->class < FACT_CLASSES && f->op < OPS);
        must(!(f->flags & FACT_HAS_LATENCY) || f->latency <= INT64_MAX / 4);
        free(payload);
    }
    for (uint64_t n = facts.first; n < facts.end; n++) {
        const struct fact *const f = facts_at(&facts, n);
        const struct stack *const s = generation_at(&m.stack_store.stacks, f->stack);
        must(!s || model_stack_frames(&m, s, frames) <= 2 * STACK_FRAMES);
        if (f->class == FACT_DOTNET && f->op != OP_HEAP)
            must(model_method_name(&m, f->entity) != NULL);
    }
    facts_fini(&facts);
    model_fini(&m);
    return 0;
}
