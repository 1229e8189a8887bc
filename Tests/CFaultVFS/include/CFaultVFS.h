#pragma once

/* A file system of SQLite that fails when a test wants it (https://www.sqlite.org/vfs.html). It passes all calls to the
 * default one, and is the default after it is registered. A plan is for the files whose path begins with a prefix. */

enum jackdaw_fault_operation {
    JACKDAW_FAULT_WRITE = 1,
    JACKDAW_FAULT_SYNC = 2,
    JACKDAW_FAULT_TRUNCATE = 4,
};

enum jackdaw_fault_effect {
    JACKDAW_FAULT_ERROR, /* SQLITE_IOERR, and nothing is done */
    JACKDAW_FAULT_TORN,  /* SQLITE_IOERR after half of a write */
    JACKDAW_FAULT_FULL,  /* SQLITE_FULL, and nothing is done */
    JACKDAW_FAULT_KILL_BEFORE,
    JACKDAW_FAULT_KILL_HALF,
    JACKDAW_FAULT_KILL_AFTER,
};

/* Registers the file system, once for the process. Returns a code of SQLite. */
int jackdaw_fault_register(void);

/* Adds a plan without a fault. Returns its number; -1 if there are too many. */
int jackdaw_fault_add(const char *prefix);
void jackdaw_fault_remove(int plan);

/* From now on, the operation with this number, from 1, among those of the mask has the effect; with repeats, those after it
 * have it too. 0 ends the faults. */
void jackdaw_fault_arm(int plan, int operations, int effect, long number, int repeats);

/* Whether a fault has happened since the plan was armed. */
int jackdaw_fault_fired(int plan);

/* From now on, each synchronised file is copied to its path with `.durable` at the end: that is what a loss of power would
 * leave of it. */
void jackdaw_fault_keep_durable(int plan);
