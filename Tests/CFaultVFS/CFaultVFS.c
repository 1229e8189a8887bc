#ifdef JACKDAW_PAYMENTS

#include "CFaultVFS.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLANS = 256, PATH_SIZE = 1024 };

struct plan {
    int is_used;
    char prefix[PATH_SIZE];
    int operations, effect, repeats;
    long number, count;
    int fired, keeps_durable;
};

struct file {
    sqlite3_file base;
    int plan;
    char path[PATH_SIZE];
    sqlite3_file *real;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct plan plans[PLANS];
static sqlite3_vfs *real_vfs;

int jackdaw_fault_add(const char *prefix) {
    int number = -1;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PLANS && number < 0; i++) {
        if (plans[i].is_used || strlen(prefix) >= PATH_SIZE) continue;
        memset(&plans[i], 0, sizeof plans[i]);
        plans[i].is_used = 1;
        strcpy(plans[i].prefix, prefix);
        number = i;
    }
    pthread_mutex_unlock(&mutex);
    return number;
}

void jackdaw_fault_remove(int plan) {
    pthread_mutex_lock(&mutex);
    plans[plan].is_used = 0;
    pthread_mutex_unlock(&mutex);
}

void jackdaw_fault_arm(int plan, int operations, int effect, long number, int repeats) {
    pthread_mutex_lock(&mutex);
    plans[plan].operations = operations;
    plans[plan].effect = effect;
    plans[plan].number = number;
    plans[plan].repeats = repeats;
    plans[plan].count = 0;
    plans[plan].fired = 0;
    pthread_mutex_unlock(&mutex);
}

int jackdaw_fault_fired(int plan) {
    pthread_mutex_lock(&mutex);
    int fired = plans[plan].fired;
    pthread_mutex_unlock(&mutex);
    return fired;
}

void jackdaw_fault_keep_durable(int plan) {
    pthread_mutex_lock(&mutex);
    plans[plan].keeps_durable = 1;
    pthread_mutex_unlock(&mutex);
}

/* Counts an operation. Returns the effect that it has; -1 for none. */
static int effect_of(struct file *file, int operation) {
    if (file->plan < 0) return -1;
    int effect = -1;
    pthread_mutex_lock(&mutex);
    struct plan *plan = &plans[file->plan];
    if (plan->is_used && (plan->operations & operation)) {
        plan->count++;
        if (plan->number > 0 && (plan->count == plan->number || (plan->repeats && plan->count > plan->number))) {
            effect = plan->effect;
            plan->fired = 1;
        }
    }
    pthread_mutex_unlock(&mutex);
    return effect;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void copy_durable(struct file *file) {
    char target[PATH_SIZE + 16];
    snprintf(target, sizeof target, "%s.durable", file->path);
    int source = open(file->path, O_RDONLY | O_CLOEXEC), copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char block[65536];
    ssize_t count;
    while (source >= 0 && copy >= 0 && (count = read(source, block, sizeof block)) > 0) {
        if (write(copy, block, count) != count) break;
    }
    close(copy);
    /* This releases SQLite's locks on the file, which no other process wants in these tests. */
    if (source >= 0) close(source);
}

#define REAL(call, ...) (((struct file *)base)->real->pMethods->call(((struct file *)base)->real, ##__VA_ARGS__))

static int f_close(sqlite3_file *base) {
    int code = REAL(xClose);
    sqlite3_free(((struct file *)base)->real);
    return code;
}

static int f_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    return REAL(xRead, bytes, count, offset);
}

static int f_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    switch (effect_of((struct file *)base, JACKDAW_FAULT_WRITE)) {
        case JACKDAW_FAULT_ERROR: return SQLITE_IOERR_WRITE;
        case JACKDAW_FAULT_FULL: return SQLITE_FULL;
        case JACKDAW_FAULT_TORN: REAL(xWrite, bytes, count / 2, offset); return SQLITE_IOERR_WRITE;
        case JACKDAW_FAULT_KILL_BEFORE: die(); break;
        case JACKDAW_FAULT_KILL_HALF: REAL(xWrite, bytes, count / 2, offset); die(); break;
        case JACKDAW_FAULT_KILL_AFTER: REAL(xWrite, bytes, count, offset); die(); break;
        default: break;
    }
    return REAL(xWrite, bytes, count, offset);
}

static int f_truncate(sqlite3_file *base, sqlite3_int64 size) {
    switch (effect_of((struct file *)base, JACKDAW_FAULT_TRUNCATE)) {
        case -1: break;
        case JACKDAW_FAULT_FULL: return SQLITE_FULL;
        case JACKDAW_FAULT_KILL_BEFORE: die(); break;
        case JACKDAW_FAULT_KILL_HALF:
        case JACKDAW_FAULT_KILL_AFTER: REAL(xTruncate, size); die(); break;
        default: return SQLITE_IOERR_TRUNCATE;
    }
    return REAL(xTruncate, size);
}

static int f_sync(sqlite3_file *base, int flags) {
    struct file *file = (struct file *)base;
    switch (effect_of(file, JACKDAW_FAULT_SYNC)) {
        case -1: break;
        case JACKDAW_FAULT_FULL: return SQLITE_FULL;
        case JACKDAW_FAULT_KILL_BEFORE: die(); break;
        case JACKDAW_FAULT_KILL_HALF:
        case JACKDAW_FAULT_KILL_AFTER: REAL(xSync, flags); die(); break;
        default: return SQLITE_IOERR_FSYNC;
    }
    int code = REAL(xSync, flags);
    if (code == SQLITE_OK && file->plan >= 0) {
        pthread_mutex_lock(&mutex);
        int keeps = plans[file->plan].keeps_durable;
        pthread_mutex_unlock(&mutex);
        if (keeps) copy_durable(file);
    }
    return code;
}

static int f_size(sqlite3_file *base, sqlite3_int64 *size) { return REAL(xFileSize, size); }
static int f_lock(sqlite3_file *base, int level) { return REAL(xLock, level); }
static int f_unlock(sqlite3_file *base, int level) { return REAL(xUnlock, level); }
static int f_reserved(sqlite3_file *base, int *is) { return REAL(xCheckReservedLock, is); }
static int f_control(sqlite3_file *base, int operation, void *value) { return REAL(xFileControl, operation, value); }
static int f_sector(sqlite3_file *base) { return REAL(xSectorSize); }
static int f_device(sqlite3_file *base) { return REAL(xDeviceCharacteristics); }
static int f_map(sqlite3_file *base, int page, int size, int extend, void volatile **place) {
    return REAL(xShmMap, page, size, extend, place);
}
static int f_shm_lock(sqlite3_file *base, int offset, int count, int flags) { return REAL(xShmLock, offset, count, flags); }
static void f_barrier(sqlite3_file *base) { REAL(xShmBarrier); }
static int f_unmap(sqlite3_file *base, int removes) { return REAL(xShmUnmap, removes); }

/* Version 2: without mapped files, whose writes would not come here. */
static const sqlite3_io_methods methods = {
    2,         f_close,  f_read,   f_write,    f_truncate, f_sync,   f_size, f_lock,     f_unlock,
    f_reserved, f_control, f_sector, f_device, f_map,      f_shm_lock, f_barrier, f_unmap, 0, 0,
};

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
    (void)vfs;
    struct file *file = (struct file *)base;
    memset(file, 0, sizeof *file);
    file->plan = -1;
    file->real = sqlite3_malloc(real_vfs->szOsFile);
    if (!file->real) return SQLITE_NOMEM;
    memset(file->real, 0, real_vfs->szOsFile);
    if (path && strlen(path) < PATH_SIZE) {
        strcpy(file->path, path);
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < PLANS; i++) {
            if (plans[i].is_used && strncmp(path, plans[i].prefix, strlen(plans[i].prefix)) == 0) file->plan = i;
        }
        pthread_mutex_unlock(&mutex);
    }
    int code = real_vfs->xOpen(real_vfs, path, file->real, flags, out);
    if (code != SQLITE_OK) {
        sqlite3_free(file->real);
        return code;
    }
    base->pMethods = &methods;
    return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    int code = real_vfs->xDelete(real_vfs, path, sync);
    char copy[PATH_SIZE + 16];
    snprintf(copy, sizeof copy, "%s.durable", path);
    if (code == SQLITE_OK) unlink(copy);
    return code;
}

int jackdaw_fault_register(void) {
    static sqlite3_vfs vfs;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_OK;
    if (!real_vfs) {
        code = sqlite3_initialize();
        real_vfs = sqlite3_vfs_find(0);
        /* All other calls go to the real one, whose functions do not use their first argument but for its data. */
        vfs = *real_vfs;
        vfs.zName = "jackdaw-faults";
        vfs.szOsFile = sizeof(struct file);
        vfs.xOpen = v_open;
        vfs.xDelete = v_delete;
        if (code == SQLITE_OK) code = sqlite3_vfs_register(&vfs, 1);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

#endif
