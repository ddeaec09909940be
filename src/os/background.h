/* What a program needs that stays in the background and keeps files by itself: a folder for them,
 * a file that one process alone holds, how large files are and how much room there is, and a way
 * to be started without a terminal. background_linux.c, background_windows.c. */
#ifndef SRC_OS_BACKGROUND_H
#define SRC_OS_BACKGROUND_H

#include "src/os/os.h"

/* The folder for what must outlive this process. Linux: what a service manager names
 * (STATE_DIRECTORY), /var/lib/tracetop for root, else below XDG_STATE_HOME or ~/.local/state;
 * Windows: below ProgramData. "" where the system names none. It need not exist. */
void background_folder(char *out, size_t room);

/* The folder of those that a service manager or root starts, which others may be allowed to read.
 * Windows: the same. */
void background_system_folder(char *out, size_t room);

/* Creates or opens the file and holds it until it is closed, also by the end of this process: no
 * other one can. It then says who holds it. NULL with a sentence; the number of the process that
 * holds it in *holder, or 0. */
struct os_file *background_hold(const char *path, uint32_t *holder, struct err *err);

/* Who holds the file; 0: nobody, or there is none. */
uint32_t background_holder(const char *path);

/* How large a file is and when it was written last (ns since 1970); links are not followed. False
 * where there is no regular file. */
bool background_file(const char *path, uint64_t *bytes, int64_t *written_ns);

/* Bytes that this user may still write where the folder lies; UINT64_MAX: not known. */
uint64_t background_room(const char *folder);

/* Lets the group of our file read it, and of our folder list it; what a folder says about the group
 * of new files stays. Windows: nothing; the folder says
 * who may. */
void background_share(const char *path);

/* Is the folder, which exists, one that only this user and administrators command? Windows, where
 * everybody may make folders below ProgramData: no link, and of the right owner; in the usual place
 * nobody else comes in from now on. False with a sentence. Linux: that is what its mode says. */
bool background_guard(const char *folder, struct err *err);

/* The path of this program. */
void background_program(char *out, size_t room);

/* Starts this program once more, with these words (NULL-terminated, without its name), in a session
 * of its own and without a terminal, with the rights that this process was started with: call it
 * before os_rights_settle(). What it prints to standard error can be read from *messages until it
 * calls background_detach(); close it. NULL with a sentence. */
struct os_child *background_start(const char *const *words, FILE **messages, struct err *err);

/* The process that was started so: what it prints from here on goes nowhere. */
void background_detach(void);

/* Tells the service manager (Linux: systemd's notification socket) that it has begun, or that it
 * goes on; nothing where there is none. `state` is a line such as "READY=1". */
void background_notify(const char *state);

#endif
