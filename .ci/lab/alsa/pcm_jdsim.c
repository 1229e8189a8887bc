// jdsim   a sound card for libasound that is made of two files, paced by the system's clock. No kernel sound is needed.
//   cc -O2 -shared -fPIC -DPIC -o jdsim.so pcm_jdsim.c -lasound
//   pcm_type.jdsim { lib "/path/jdsim.so" }
//   pcm.NAME { type jdsim infile "in.raw" outfile "out.raw" speed 1.0 rate 48000 }
// Captures from infile, and silence after its end; plays to outfile. Both may be pipes; /dev/null is the default. `speed`
// is 1 for real time, 10 for ten times as fast, 0.5 for a slow clock. Without `rate`, 8 to 192 kHz. A late program gets an
// xrun (EPIPE), poll() sleeps on a timer, and access by read, write and mmap works.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct card {
    snd_pcm_ioplug_t io;
    int file;  // samples in the format of the stream
    double speed;
    struct timespec start;
    uint64_t moved;  // frames between ring and file since prepare
    snd_pcm_uframes_t boundary, avail_min;
};

static uint64_t elapsed_frames(const struct card *card) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (now.tv_sec - card->start.tv_sec) + (now.tv_nsec - card->start.tv_nsec) / 1e9;
    return (uint64_t)(seconds * card->io.rate * card->speed);
}

static void play(struct card *card, const char *bytes, size_t count) {
    // A pipe without a reader loses what is played, as a plug without a cable does.
    if (write(card->file, bytes, count) < 0) return;
}

static void capture(struct card *card, char *bytes, size_t count) {
    size_t got = 0;
    while (got < count) {
        ssize_t size = read(card->file, bytes + got, count - got);
        if (size <= 0) break;
        got += (size_t)size;
    }
    size_t missing = (count - got) * 8 / (size_t)snd_pcm_format_physical_width(card->io.format);
    if (missing) snd_pcm_format_set_silence(card->io.format, bytes + got, (unsigned)missing);
}

// Moves frames between the ring and the file.
static void move(struct card *card, uint64_t frames) {
    const snd_pcm_channel_area_t *areas = snd_pcm_ioplug_mmap_areas(&card->io);
    size_t frame_size = (size_t)snd_pcm_format_physical_width(card->io.format) / 8 * card->io.channels;
    while (frames) {
        uint64_t offset = card->moved % card->io.buffer_size, count = card->io.buffer_size - offset;
        if (count > frames) count = frames;
        char *bytes = (char *)areas[0].addr + areas[0].first / 8 + offset * frame_size;
        if (card->io.stream == SND_PCM_STREAM_PLAYBACK) {
            play(card, bytes, count * frame_size);
        } else {
            capture(card, bytes, count * frame_size);
        }
        card->moved += count;
        frames -= count;
    }
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (io->state == SND_PCM_STATE_RUNNING || io->state == SND_PCM_STATE_DRAINING) {
        uint64_t due = elapsed_frames(card);
        // Frames that the program has written and the card has not played, or, negative, captured and not read.
        int64_t ahead = (int64_t)io->appl_ptr - (int64_t)(card->moved % card->boundary);
        if (ahead < -(int64_t)(card->boundary / 2)) ahead += (int64_t)card->boundary;
        if (ahead > (int64_t)(card->boundary / 2)) ahead -= (int64_t)card->boundary;
        uint64_t room =
            io->stream == SND_PCM_STREAM_PLAYBACK ? (uint64_t)ahead : io->buffer_size - (uint64_t)(-ahead);
        if (due > card->moved) {
            uint64_t frames = due - card->moved;
            int late = frames > room;
            move(card, late ? room : frames);
            if (late && io->state == SND_PCM_STATE_RUNNING) return -EPIPE;
        }
    }
    return (snd_pcm_sframes_t)(card->moved % card->boundary);
}

static int on_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    clock_gettime(CLOCK_MONOTONIC, &card->start);
    double period = io->period_size / (io->rate * card->speed) * 1e9;
    if (period < 100000) period = 100000;
    struct timespec tick = {(time_t)(period / 1e9), (long)period % 1000000000L};
    struct itimerspec timer = {tick, tick};
    timerfd_settime(io->poll_fd, 0, &timer, NULL);
    return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
    struct itimerspec timer = {{0, 0}, {0, 0}};
    timerfd_settime(io->poll_fd, 0, &timer, NULL);
    return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->moved = 0;
    if (io->stream == SND_PCM_STREAM_PLAYBACK) {
        // An empty buffer is writable at once: the first tick comes after 1 ns.
        struct itimerspec timer = {{0, 1000000}, {0, 1}};
        timerfd_settime(io->poll_fd, 0, &timer, NULL);
    }
    return 0;
}

static int on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
    struct card *card = io->private_data;
    snd_pcm_sw_params_get_avail_min(parameters, &card->avail_min);
    return snd_pcm_sw_params_get_boundary(parameters, &card->boundary);
}

static int on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
    struct card *card = io->private_data;
    (void)parameters;
    if (!card->boundary) {
        card->boundary = io->buffer_size;
        while (card->boundary * 2 <= LONG_MAX - io->buffer_size) card->boundary *= 2;
    }
    return 0;
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *polled, unsigned count, unsigned short *events) {
    struct card *card = io->private_data;
    uint64_t ticks;
    *events = 0;
    if (count != 1) return -EINVAL;
    if (!(polled[0].revents & POLLIN)) return 0;
    if (read(io->poll_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) return -errno;
    snd_pcm_sframes_t available = snd_pcm_avail_update(io->pcm);
    unsigned short ready = io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
    if (available < 0) {
        *events = ready | POLLERR;
    } else if ((snd_pcm_uframes_t)available >= (card->avail_min ? card->avail_min : 1)) {
        *events = ready;
    }
    return 0;
}

static int on_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    close(io->poll_fd);
    close(card->file);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = on_start,
    .stop = on_stop,
    .pointer = on_pointer,
    .prepare = on_prepare,
    .close = on_close,
    .hw_params = on_hw_params,
    .sw_params = on_sw_params,
    .poll_revents = on_poll,
};

// What the card can do. Programs that need more use `plug` over it.
static void constrain(snd_pcm_ioplug_t *io, unsigned rate) {
    unsigned access[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED};
    unsigned formats[] = {SND_PCM_FORMAT_U8, SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S32_LE};
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 4, formats);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate ? rate : 8000, rate ? rate : 192000);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 1 << 20);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256, 4 << 20);
}

SND_PCM_PLUGIN_DEFINE_FUNC(jdsim) {
    (void)root;
    const char *infile = "/dev/null", *outfile = "/dev/null";
    double speed = 1;
    long rate = 0;
    snd_config_iterator_t at, next;
    snd_config_for_each(at, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(at);
        const char *key;
        if (snd_config_get_id(entry, &key) < 0) continue;
        if (!strcmp(key, "comment") || !strcmp(key, "type") || !strcmp(key, "hint")) continue;
        if (!strcmp(key, "infile")) {
            snd_config_get_string(entry, &infile);
        } else if (!strcmp(key, "outfile")) {
            snd_config_get_string(entry, &outfile);
        } else if (!strcmp(key, "speed")) {
            snd_config_get_ireal(entry, &speed);
        } else if (!strcmp(key, "rate")) {
            snd_config_get_integer(entry, &rate);
        } else {
            SNDERR("jdsim: unknown field %s", key);
            return -EINVAL;
        }
    }
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    card->speed = speed > 0 ? speed : 1;
    card->file = stream == SND_PCM_STREAM_PLAYBACK ? open(outfile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
                                                   : open(infile, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (card->file < 0) {
        int code = errno;
        SNDERR("jdsim: cannot open %s", stream == SND_PCM_STREAM_PLAYBACK ? outfile : infile);
        free(card);
        return -code;
    }
    card->io = (snd_pcm_ioplug_t){
        .version = SND_PCM_IOPLUG_VERSION,
        .name = "jdsim file-backed card",
        .callback = &callbacks,
        .private_data = card,
        .mmap_rw = 1,
        .poll_events = POLLIN,
        .flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
        .poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
    };
    int code = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (code < 0) {
        close(card->io.poll_fd);
        close(card->file);
        free(card);
        return code;
    }
    constrain(&card->io, (unsigned)rate);
    *pcmp = card->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(jdsim);
