/* The command `machine`. See machine.h. */
#include "src/base/hash_index.h"
#include "src/base/message.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"
#include "src/event/tracelogging.h"
#include "src/export/machine.h"
#include "src/export/machine_page.h"
#include "src/export/stats.h"

#include <string.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_SKIPPED = 6 };

/* ---- all files ----------------------------------------------------------------------------------- */

static int read_file(const struct machine_options *o, const char *name, struct machine_page *page,
                     FILE *errors)
{
    enum { BATCH = 32 };
    struct err err;
    struct event batch[BATCH];
    size_t count;
    enum etl_answer answer = ETL_END;
    struct etl_file *const file = etl_open(name, &err);
    if (!file) {
        message_print(errors, "%s", err.text);
        return STATUS_ERROR;
    }
    while (!(o->stop && *o->stop) &&
           (answer = etl_next_many(file, batch, BATCH, &count, &err)) == ETL_EVENT)
        for (size_t i = 0; i < count; i++)
            machine_page_take(page, &batch[i]);
    stats_report_file(file, errors);
    const int status = answer == ETL_FAILED            ? STATUS_ERROR
                       : etl_is_whole(etl_tally(file)) ? STATUS_OK
                                                       : STATUS_SKIPPED;
    if (answer == ETL_FAILED)
        message_print(errors, "%s", err.text);
    etl_close(file);
    return status;
}

static int read_files(const struct machine_options *o, struct machine_page *page, FILE *errors)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < o->file_count && status != STATUS_ERROR; i++) {
        const int one = read_file(o, o->files[i], page, errors);
        status = one != STATUS_OK ? one : status;
    }
    if (status != STATUS_ERROR && machine_page_is_empty(page)) {
        message_print(
            errors,
            "no description of the machine in the trace: kernel sessions write it when they "
            "end; tracetop info shows what the trace header says");
        status = STATUS_ERROR;
    }
    return status;
}

/* ---- this machine -------------------------------------------------------------------------------- */

struct reading {
    struct machine_page *page;
    FILE *errors;
};

static void take_event(void *to, const struct event *e)
{
    const struct reading *const r = to;
    machine_page_take(r->page, e);
}

static void take_sentence(void *to, const char *sentence)
{
    const struct reading *const r = to;
    message_print(r->errors, "%s", sentence);
}

static int read_system(const struct machine_options *o, struct machine_page *page, FILE *errors)
{
    struct err err;
    struct reading r = {page, errors};
    const struct collector_description d = {take_event, take_sentence, &r, o->stop, o->running};
    if (!o->system || !o->system->describe) {
        message_print(
            errors,
            "on this system tracetop reads the hardware from a trace of the kernel session: "
            "run tracetop record -o FILE.etl, stop it, then tracetop machine FILE.etl");
        return STATUS_ERROR;
    }
    if (o->system->describe(&d, &err))
        return STATUS_OK;
    message_print(errors, "%s", err.text);
    return STATUS_ERROR;
}

int machine_run(const struct machine_options *o, FILE *out, FILE *err)
{
    struct machine_page *const page = machine_page_new();
    const int status = o->file_count ? read_files(o, page, err) : read_system(o, page, err);
    if (status != STATUS_ERROR && o->is_json)
        machine_page_json(page, out);
    else if (status != STATUS_ERROR)
        machine_page_text(page, out);
    machine_page_free(page);
    return status;
}
