/* From records as they lie in a session's buffers to EVENT_RECORDs (tests/cassette/deliver.h), with
 * the items that the session has asked for. */
#include "tests/etw/fake.h"

/* Items that come only where EnableProperty asks for them. */
static bool is_asked_for(void *enabled, unsigned type)
{
    enum { EXT_SID = 2, EXT_TS_ID = 3, EXT_STACK32 = 5, EXT_STACK64 = 6 };
    static const struct {
        uint8_t type;
        ULONG property;
    } asked[] = {{EXT_SID, 1},
                 {EXT_TS_ID, 2},
                 {EXT_STACK32, 4},
                 {EXT_STACK64, 4},
                 {ETW_EXT_PSM_KEY, ETW_PROPERTY_PSM_KEY},
                 {ETW_EXT_EVENT_KEY, ETW_PROPERTY_EVENT_KEY},
                 {ETW_EXT_PROCESS_START_KEY, ETW_PROPERTY_PROCESS_START_KEY}};
    const struct enabled *const p = enabled;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (asked[i].type == type)
            return p && p->property & asked[i].property;
    return true;
}

bool deliver_make(struct delivery *d, const struct record_head *head, const uint8_t *record,
                  const struct fake_session *s)
{
    enum { TYPE_AT = 2, MARK_AT = 3, MARK = 0xc0, GROUP_AT = 7 };
    const struct delivery_place place = {.client_context = head->cpu,
                                         .has_index = head->cpu > UCHAR_MAX,
                                         .logger = (uint16_t)(s->index + 1),
                                         .ts = head->ts};
    if (!deliver_record(d, record, head->bytes - sizeof *head, &place))
        return false;
    EVENT_HEADER *const h = &d->record.EventHeader;
    const uint8_t type = record[TYPE_AT];
    if (record[MARK_AT] == MARK && (type <= 4 || type == 16 || type == 17))
        report_hook((unsigned)record[GROUP_AT] << 8 | h->EventDescriptor.Opcode, head->ts);
    h->TimeStamp.QuadPart = head->ts;
    if (!(h->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER) && d->record.ExtendedDataCount)
        deliver_choose(d, is_asked_for, (void *)provider_enabled(s, &h->ProviderId));
    return true;
}
