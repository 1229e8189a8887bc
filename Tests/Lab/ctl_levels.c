/* A control plug-in of ALSA that stands for a sound card's mixer, kept in a file of one number a line.
 *   cc -shared -fPIC -o libasound_module_ctl_levels.so ctl_levels.c -lasound
 *   ctl_type.levels { lib "/path/libasound_module_ctl_levels.so" }
 *   ctl.levels { type levels state "/path/levels" }
 * Elements are named, typed and ranged as those of an HDA codec. */
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <stdio.h>
#include <unistd.h>

struct element { const char *name; int type; unsigned channels; long most, low, high; };
static const struct element ELEMENTS[] = {
    {"Capture Volume", SND_CTL_ELEM_TYPE_INTEGER, 2, 63, -1700, 3025},
    {"Capture Switch", SND_CTL_ELEM_TYPE_BOOLEAN, 2, 1, 0, 0},
    {"Mic Boost Volume", SND_CTL_ELEM_TYPE_INTEGER, 2, 3, 0, 3000},
    {"Input Source", SND_CTL_ELEM_TYPE_ENUMERATED, 1, 2, 0, 0},
    {"Auto Gain Control", SND_CTL_ELEM_TYPE_BOOLEAN, 1, 1, 0, 0},
    {"Mic Playback Volume", SND_CTL_ELEM_TYPE_INTEGER, 2, 31, 0, 0},
    {"Mic Playback Switch", SND_CTL_ELEM_TYPE_BOOLEAN, 2, 1, 0, 0},
    {"Master Playback Volume", SND_CTL_ELEM_TYPE_INTEGER, 1, 64, -6400, 0},
};
enum { COUNT = sizeof ELEMENTS / sizeof *ELEMENTS };
struct card { snd_ctl_ext_t ext; char path[4096]; long values[COUNT][2]; };

static void load(struct card *card) {
    FILE *file = fopen(card->path, "r");
    for (int i = 0; file && i < COUNT * 2; i++)
        if (fscanf(file, "%ld", &card->values[i / 2][i % 2]) != 1) break;
    if (file) fclose(file);
}
static void save(struct card *card) {
    FILE *file = fopen(card->path, "w");
    for (int i = 0; file && i < COUNT * 2; i++) fprintf(file, "%ld\n", card->values[i / 2][i % 2]);
    if (file) fclose(file);
}
static int elem_count(snd_ctl_ext_t *ext) { (void)ext; return COUNT; }
static int elem_list(snd_ctl_ext_t *ext, unsigned offset, snd_ctl_elem_id_t *id) {
    (void)ext;
    if (offset >= COUNT) return -EINVAL;
    snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
    snd_ctl_elem_id_set_name(id, ELEMENTS[offset].name);
    return 0;
}
static snd_ctl_ext_key_t find_elem(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
    (void)ext;
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(snd_ctl_elem_id_get_name(id), ELEMENTS[i].name)) return i;
    return SND_CTL_EXT_KEY_NOT_FOUND;
}
static int get_attribute(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned *access, unsigned *count) {
    (void)ext;
    *type = ELEMENTS[key].type;
    *count = ELEMENTS[key].channels;
    *access = SND_CTL_EXT_ACCESS_READWRITE;
    if (ELEMENTS[key].high > ELEMENTS[key].low)
        *access |= SND_CTL_EXT_ACCESS_TLV_READ | SND_CTL_EXT_ACCESS_TLV_CALLBACK;
    return 0;
}
static int get_integer_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *low, long *high, long *step) {
    (void)ext;
    *low = 0, *high = ELEMENTS[key].most, *step = 1;
    return 0;
}
static int get_enumerated_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    (void)ext;
    *items = (unsigned)ELEMENTS[key].most;
    return 0;
}
static int get_enumerated_name(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned item, char *name, size_t size) {
    (void)ext, (void)key;
    snprintf(name, size, "%s", item ? "Line" : "Mic");
    return 0;
}
static int read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *values) {
    struct card *card = ext->private_data;
    load(card);
    for (unsigned i = 0; i < ELEMENTS[key].channels; i++) values[i] = card->values[key][i];
    return 0;
}
static int write_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *values) {
    struct card *card = ext->private_data;
    for (unsigned i = 0; i < ELEMENTS[key].channels; i++) card->values[key][i] = values[i];
    save(card);
    return 1;
}
static int read_enumerated(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    long value = 0;
    int error = read_integer(ext, key, &value);
    *items = (unsigned)value;
    return error;
}
static int write_enumerated(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    long value = *items;
    return write_integer(ext, key, &value);
}
static int read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned *mask) {
    (void)ext, (void)id, (void)mask;
    return -EAGAIN;
}
static int tlv(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int operation, unsigned numid, unsigned *data,
               unsigned size) {
    (void)ext, (void)numid;
    if (operation != 0 || size < 4 * sizeof *data) return -ENOMEM;
    /* SNDRV_CTL_TLVT_DB_MINMAX */
    data[0] = 4, data[1] = 8, data[2] = (unsigned)ELEMENTS[key].low, data[3] = (unsigned)ELEMENTS[key].high;
    return 0;
}
static void end(snd_ctl_ext_t *ext) { free(ext->private_data); }
static const snd_ctl_ext_callback_t CALLBACKS = {
    .close = end, .elem_count = elem_count, .elem_list = elem_list, .find_elem = find_elem,
    .get_attribute = get_attribute, .get_integer_info = get_integer_info, .get_enumerated_info = get_enumerated_info,
    .get_enumerated_name = get_enumerated_name, .read_integer = read_integer, .write_integer = write_integer,
    .read_enumerated = read_enumerated, .write_enumerated = write_enumerated, .read_event = read_event,
};

SND_CTL_PLUGIN_DEFINE_FUNC(levels) {
    (void)root;
    const char *path = NULL;
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *node = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(node, &id) >= 0 && !strcmp(id, "state")) snd_config_get_string(node, &path);
    }
    if (!path) return -EINVAL;
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    snprintf(card->path, sizeof card->path, "%s", path);
    card->ext = (snd_ctl_ext_t){.version = SND_CTL_EXT_VERSION, .id = "levels", .driver = "levels", .name = "Levels",
        .longname = "a mixer in a file", .mixername = "levels", .poll_fd = -1, .callback = &CALLBACKS,
        .private_data = card, .tlv.c = tlv};
    int error = snd_ctl_ext_create(&card->ext, name, mode);
    if (error < 0) { free(card); return error; }
    *handlep = card->ext.handle;
    return 0;
}
SND_CTL_PLUGIN_SYMBOL(levels);
