/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pictures a second does a game draw, with an X server that shows them? (Uhlig et al.,
 * "Performance of Address-Space Multiplexing on the Pentium", 4.8, who have LxDoom.)
 *
 * Doom is a program of its own (linux/debian/doom), which takes the samples: stream 1 has what each
 * picture took, of a recorded game that is played as quickly as pictures are drawn.
 *
 * Parameters: rounds=100 (pictures) warmup=40 doom=/bin/doom data=/usr/share/doom.wad
 */
#include "suite.h"

#include "x11_server.h"

static void play(void *context) {
    const char *path = parameter("doom", "/bin/doom");
    char frames[12], warmup[12];
    (void)context;
    snprintf(frames, sizeof(frames), "%u", parameter_number("rounds", 100));
    snprintf(warmup, sizeof(warmup), "%u", parameter_number("warmup", 40));
    (void)execl(path, path, frames, warmup, parameter("clock", "os"), "-iwad",
                parameter("data", "/usr/share/doom.wad"), "-timedemo", "demo1", "-nosound",
                "-nomusic", "-nogui", (char *)NULL);
    _exit(127);
}

static bool demo(void) {
    int status = -1;
    pid_t server = x11_start();
    printf("CASE stream=1 name=frame batch=1 per=1 unit=%s\n", os_has_probe() ? "cycles" : "ns");
    pid_t doom = server > 0 ? child_start(play, NULL) : -1;
    bool good = doom > 0 && waitpid(doom, &status, 0) == doom && status == 0;
    child_end(server);
    return good || failed("doom");
}

const struct question question_doom = {"doom", "a picture of a game, shown by an X server", demo};
