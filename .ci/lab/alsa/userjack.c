// userjack CARD NAME   adds a switch to a real card, as the kernel's jacks have it (interface CARD, boolean), and sets it
// by lines "0" and "1" on standard input. Programs receive genuine events of the kernel.
//   cc -O2 -o userjack userjack.c -lasound      printf '1\n0\n' | ./userjack hw:Loopback 'Mic Jack'
#include <alsa/asoundlib.h>

static int fail(const char *what, int code) {
    fprintf(stderr, "userjack: %s: %s\n", what, snd_strerror(code));
    return 1;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    snd_ctl_t *card;
    int code = snd_ctl_open(&card, arguments[1], 0);
    if (code < 0) return fail(arguments[1], code);
    snd_ctl_elem_id_t *name;
    snd_ctl_elem_value_t *value;
    snd_ctl_elem_id_alloca(&name);
    snd_ctl_elem_value_alloca(&value);
    snd_ctl_elem_id_set_interface(name, SND_CTL_ELEM_IFACE_CARD);
    snd_ctl_elem_id_set_name(name, arguments[2]);
    code = snd_ctl_elem_add_boolean(card, name, 1);
    // An earlier run that was killed leaves its switch.
    if (code < 0 && code != -EBUSY) return fail("add", code);
    snd_ctl_elem_value_set_id(value, name);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        snd_ctl_elem_value_set_boolean(value, 0, line[0] == '1');
        code = snd_ctl_elem_write(card, value);
        if (code < 0) return fail("write", code);
    }
    snd_ctl_elem_remove(card, name);
    return 0;
}
