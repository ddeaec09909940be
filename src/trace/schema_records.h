/* Schemas for a file that is being written: of events whose layouts come from outside the trace (the
 * user's files, the system), so that the file can be read on other machines. They become
 * EventInfo records and maps, as Windows' tools for merging add them. One thread. */
#ifndef SRC_TRACE_SCHEMA_RECORDS_H
#define SRC_TRACE_SCHEMA_RECORDS_H

#include "src/event/schema.h"

struct schema_records;

/* For files of at most so many bytes (0: any), of which schemas take a part. NULL where no schema
 * can come from outside. */
struct schema_records *schema_records_new(uint64_t most_bytes);
void schema_records_free(struct schema_records *r); /* NULL is fine */

/* The file has got this record. Constant time, but for the first of each kind of events: then the
 * system may be asked. */
void schema_records_note(struct schema_records *r, const struct record_head *head,
                         const void *record);

/* Hands over payloads of records (schema_payload, src/event/schema.h) for kinds that were noted
 * since. Where one is not taken, its kind stays for the next time. */
void schema_records_export(struct schema_records *r, schema_payload take, void *state);

/* Writes such a payload as a record into `room`: a classic event of EventMetadata, at that time and
 * processor, those of the record before it. Its head; of 0 bytes where no record can hold it. */
enum { SCHEMA_RECORD_ROOM = 1 << 16 };
struct record_head schema_record(uint8_t *room, uint8_t opcode, const uint8_t *payload,
                                 size_t bytes, int64_t ts, uint16_t cpu);

/* All kinds are to be exported once more: what was may be overwritten by now. */
void schema_records_again(struct schema_records *r);

/* Another file begins, which has nothing of all this. */
void schema_records_begin_file(struct schema_records *r);

#endif
