/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The platform of Doom (PyPI's cydoomgeneric, whose C sources rules.mk compiles): a window of an X
 * server's, to which each picture goes by memory that both share (MIT-SHM), as LxDoom's did. Doom
 * draws the next one when the server says that it has drawn this one. Its clock is one of its own,
 * which goes on where Doom sleeps alone, so that nothing waits.
 *
 *     doom FRAMES WARMUP CLOCK [Doom's words]
 *
 * After the first WARMUP pictures, what each of the next FRAMES took is a sample of stream 1, in
 * cycles of the simulator's probe (CLOCK: probe) or, printed, in nanoseconds (os); then it ends.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <doomgeneric.h>
#include <probe.h>

enum { WIDTH = 320, HEIGHT = 200, DEPTH = 16, REPLY = 32 };
enum { STREAM = 1, TIMING_SAMPLES = 101 };

static const char socket_of_server[] = "/tmp/.X11-unix/X1";

__attribute__((noreturn)) static void fail(const char *what) {
    printf("doom: %s\n", what);
    fflush(stdout);
    _exit(1);
}

/* ---- the X protocol (X.Org, "X Window System Protocol", appendix B; MIT-SHM's own) ---- */

static int server;
static uint8_t shm_opcode, shm_event;
static uint32_t window, context, segment;
static uint16_t *picture;

static void take(void *to, size_t size) {
    for (size_t taken = 0; taken < size;) {
        ssize_t more = read(server, (char *)to + taken, size - taken);
        if (more <= 0) {
            fail("the X server is gone");
        }
        taken += (size_t)more;
    }
}

static void ask(const void *request, size_t size) {
    if (write(server, request, size) != (ssize_t)size) {
        fail("the X server takes no request");
    }
}

/* The next of the server's messages of that kind: 1 is a reply, others are events. */
static void await(uint8_t kind, uint8_t *message) {
    do {
        take(message, REPLY);
        if (message[0] == 0) {
            fail("the X server refuses a request");
        }
    } while ((message[0] & 0x7f) != kind);
}

static uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static uint16_t half_at(const uint8_t *bytes) {
    uint16_t half;
    memcpy(&half, bytes, sizeof(half));
    return half;
}

/* Connects, and gives the root window; new resources are numbered from `*base` on. */
static uint32_t connect_to_server(uint32_t *base) {
    static const uint8_t hello[12] = {'l', 0, 11};
    static uint8_t told[65536 * 4];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, socket_of_server, sizeof(socket_of_server));
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(server, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail("no X server");
    }
    ask(hello, sizeof(hello));
    take(told, 8);
    size_t size = 4u * half_at(told + 6);
    bool accepted = told[0] == 1;
    take(told, size);
    if (!accepted) {
        fail("the X server refuses the connection");
    }
    *base = word_at(told + 4);
    size_t vendor = (half_at(told + 16) + 3u) & ~3u, formats = 8u * told[21];
    const uint8_t *screen = told + 32 + vendor + formats;
    if (screen[38] != DEPTH) {
        fail("the screen has not 16 bits a pixel");
    }
    return word_at(screen);
}

static void open_window(void) {
    uint8_t reply[REPLY];
    uint32_t base, root = connect_to_server(&base);
    struct {
        uint8_t opcode, none;
        uint16_t length, name_length, unused;
        char name[8];
    } query = {98, 0, 4, 7, 0, "MIT-SHM"};
    ask(&query, sizeof(query));
    await(1, reply);
    if (reply[8] == 0) {
        fail("the X server has no MIT-SHM");
    }
    shm_opcode = reply[9];
    shm_event = reply[10];
    window = base;
    context = base + 1;
    segment = base + 2;
    /* CreateWindow: depth, class and visual are the root's. */
    uint32_t create[] = {1 | 8 << 16, window, root, 0, WIDTH | HEIGHT << 16, 0, 0, 0};
    uint32_t gc[] = {55 | 4 << 16, context, window, 0};
    uint32_t map[] = {8 | 2 << 16, window};
    ask(create, sizeof(create));
    ask(gc, sizeof(gc));
    ask(map, sizeof(map));
    int id = shmget(IPC_PRIVATE, WIDTH * HEIGHT * sizeof(*picture), IPC_CREAT | 0600);
    picture = shmat(id, NULL, 0);
    if (id < 0 || picture == (void *)-1) {
        fail("no memory to share");
    }
    uint32_t attach[] = {shm_opcode | 1u << 8 | 4 << 16, segment, (uint32_t)id, 0};
    ask(attach, sizeof(attach));
}

/* ShmPutImage of all of it, and its event when the server has read it. */
static void put_picture(void) {
    uint8_t event[REPLY];
    uint32_t put[] = {
        shm_opcode | 3u << 8 | 10 << 16,
        window,
        context,
        WIDTH | HEIGHT << 16,
        0,
        WIDTH | HEIGHT << 16,
        0,
        DEPTH | 2 << 8 | 1 << 16,
        segment,
        0,
    };
    ask(put, sizeof(put));
    await(shm_event, event);
}

/* ---- time ---- */

static volatile uint32_t *probe; /* NULL without one */
static unsigned frames, warmup;

static void open_probe(void) {
    int memory = open("/dev/mem", O_RDWR | O_SYNC);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)PROBE_BASE_PA);
    if (page == MAP_FAILED) {
        fail("no probe");
    }
    probe = page;
}

static void tell(unsigned offset, uint32_t value) {
    if (probe != NULL) {
        probe[offset / 4] = value;
    }
}

static uint32_t now(void) {
    struct timespec time = {0};
    if (probe != NULL) {
        return probe[PROBE_CYCLES / 4];
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)time.tv_sec * 1000000000u + (uint32_t)time.tv_nsec;
}

static void sample(const char *kind, uint32_t taken) {
    if (probe == NULL) {
        printf("%s stream=%u %u\n", kind, STREAM, taken);
    }
    tell(PROBE_SAMPLE, taken);
}

static void begin(void) {
    tell(PROBE_STREAM, 0);
    for (unsigned i = 0; i < TIMING_SAMPLES; i++) {
        uint32_t start = now();
        sample("TIMING", now() - start);
    }
    tell(PROBE_STREAM, STREAM);
    tell(PROBE_REGION_BEGIN, STREAM);
}

/* ---- what Doom asks of a platform ---- */

static uint32_t milliseconds;

static void draw_frame(void) {
    static unsigned drawn;
    static uint32_t start;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t colour = DG_ScreenBuffer[i];
        picture[i] = (uint16_t)(colour >> 8 & 0xf800u) | (uint16_t)(colour >> 5 & 0x7e0u) |
                     (uint16_t)(colour >> 3 & 0x1fu);
    }
    put_picture();
    uint32_t end = now();
    if (drawn > warmup) {
        sample("SAMPLES", end - start);
    }
    if (drawn == warmup) {
        begin();
        end = now();
    }
    if (drawn == warmup + frames) {
        tell(PROBE_REGION_END, STREAM);
        fflush(stdout);
        _exit(0);
    }
    start = end;
    drawn++;
}

static void sleep_ms(uint32_t ms) {
    milliseconds += ms;
}

static uint32_t ticks_ms(void) {
    return milliseconds;
}

static int get_key(int *pressed, unsigned char *key) {
    (void)pressed;
    (void)key;
    return 0;
}

static void set_title(const char *title) {
    (void)title;
}

/* In place of I_Error, after which Doom would wait for ever: the linker has it so (doom.mk). */
void __wrap_I_Error(const char *format, ...);
__attribute__((noreturn)) void __wrap_I_Error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fail("Doom gives up");
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fail("usage: doom FRAMES WARMUP probe|os [Doom's words]");
    }
    frames = (unsigned)atoi(argv[1]);
    warmup = (unsigned)atoi(argv[2]);
    if (strcmp(argv[3], "probe") == 0) {
        open_probe();
    }
    open_window();
    dg_Create(WIDTH, HEIGHT, draw_frame, sleep_ms, ticks_ms, get_key, set_title);
    argv[3] = argv[0];
    (void)dg_main(argc - 3, argv + 3);
    for (;;) {
        fail("Doom has ended before its frames were drawn");
    }
}
