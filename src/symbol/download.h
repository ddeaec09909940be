/* Downloads of symbol files: a thread of its own asks the servers for one file after the other.
 * What comes is checked and put into the cache, where the readers of symbols find it. The worker
 * asks (worker.c) and goes on.
 *
 * Bounds: DOWNLOADS files in a run; 2 GiB and half an hour for each; 30 seconds without a byte. A
 * server that fails is left alone for a minute, then for longer. A file that no server has is not
 * asked for again. */
#ifndef SRC_SYMBOL_DOWNLOAD_H
#define SRC_SYMBOL_DOWNLOAD_H

#include "src/symbol/backend.h"
#include "src/symbol/server.h"

enum { DOWNLOADS = 4096 };

struct downloader;

/* NULL where no server is named. `done` is signaled when a download has ended, well or badly. */
struct downloader *downloader_new(const struct symbol_options *o, struct os_wakeup *done);

/* Ends what runs, and begins nothing any more. Any thread; NULL is fine. */
void downloader_stop(struct downloader *d);

/* Likewise; nobody may ask any more. False when it does not end soon: it is left behind with what
 * it holds. NULL is fine. */
bool downloader_free(struct downloader *d);

enum download_state {
    DOWNLOAD_COMES,
    DOWNLOAD_IS_HERE,
    DOWNLOAD_FAILED, /* with a message; later it may be asked for again */
};

/* What has become of the file that the image lacks; the first call begins to get it. Worker only.
 */
enum download_state downloader_ask(struct downloader *d, enum symbol_lack lack,
                                   const struct symbol_image *i, struct err *why);

/* Files that have come or failed, and signs of progress, since the start. Any thread. */
unsigned downloader_ended(const struct downloader *d);
unsigned downloader_signs(const struct downloader *d);
struct symbol_progress downloader_progress(const struct downloader *d);

#endif
