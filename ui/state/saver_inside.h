/* What saving and answering calls share. */
#ifndef UI_STATE_SAVER_INSIDE_H
#define UI_STATE_SAVER_INSIDE_H

#include "ui/state/saver.h"

enum { SENTENCE_BYTES = 1536 }; /* a sentence with a path in it */

struct saver {
    struct saver_options o;
    struct snapshot *snapshot;
    struct recorder *recorder;
    bool is_ending; /* the recording: its file is being completed */
    bool owes_snapshot, owes_stop; /* asked for through the endpoint, and not answered yet */
    char recording[1024]; /* its path */
    struct instance *endpoint;
};

/* The sentence about the recording that runs; false, with a sentence, where none is. */
bool saver_recording_status(const struct saver *s, char *reported, size_t room);

/* Its file is completed while the screen goes on: that may wait for a disk. */
void saver_end_recording(struct saver *s, char *reported, size_t room);

#endif
