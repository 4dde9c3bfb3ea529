/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network by hand and from tests, where there is no other program for it: sets an interface's
 * address, pings, echoes. Ends with status 0 when all went as asked, and says what did not.
 */
#include "os.h"

#include <linux/in.h>
#include <linux/sockios.h>

/* struct ifreq of <linux/if.h>, which wants a whole C library; ARM's is 32 bytes. */
struct request {
    char name[16];
    union {
        struct sockaddr_in address;
        short flags;
    };
};
enum { UP = 1 }; /* IFF_UP */

/* Of <linux/socket.h>'s inside, which programs do not get. */
enum { INTERNET = 2, STREAM = 1, DATAGRAM = 2, RAW = 3 };

enum { BLOCK = 1024, PING_BYTES = 64 };

/* How long an answer is waited for, and how often it is asked for: a simulated computer at the
 * other end may get no time for a while. */
enum { WAIT_SECONDS = 5, TRIES = 30 };

/* Longest datagram: goes over Ethernet in three fragments. */
enum { DATAGRAM_MOST = 4000 };

static const char usage[] =
    "usage: net up INTERFACE ADDRESS MASK    gives an interface an address\n"
    "       net ping ADDRESS [TIMES]         ICMP echoes\n"
    "       net echo ADDRESS PORT KILOBYTES  sends by TCP, wants all back\n"
    "       net say ADDRESS PORT WORD        sends a line, shows the answer\n"
    "       net serve PORT [TIMES]           echoes connections by TCP\n"
    "       net udp ADDRESS PORT [TIMES]     sends datagrams of all sizes, wants all back\n"
    "       net serve-udp PORT [TIMES]       echoes so many different datagrams\n";

static int complain(const char *what) {
    printf("net: %s: error %d\n", what, errno);
    return 1;
}

/* An address in network order; 0 if `text` is none. */
static unsigned int address_of(const char *text) {
    unsigned int address = 0;
    for (int i = 0; i < 4; i++) {
        unsigned int part = 0;
        do {
            if (*text < '0' || *text > '9') {
                return 0;
            }
            part = part * 10 + (*text++ - '0');
        } while (*text && *text != '.');
        if (part > 255 || (i < 3) != (*text == '.')) {
            return 0;
        }
        text += i < 3;
        address |= part << 8 * i;
    }
    return address;
}

static unsigned short swapped(unsigned int n) {
    return n << 8 | (n >> 8 & 0xff);
}

static struct sockaddr_in place(const char *address, const char *port) {
    struct sockaddr_in there = {.sin_family = INTERNET};
    there.sin_addr.s_addr = address_of(address);
    there.sin_port = swapped(atoi(port));
    return there;
}

static int up(char **words) {
    struct request request = {.address = place(words[1], "0")};
    int fd = socket_make(INTERNET, DATAGRAM);
    strlcpy(request.name, words[0], sizeof(request.name));
    if (ioctl(fd, SIOCSIFADDR, &request) < 0) {
        return complain("address");
    }
    request.address = place(words[2], "0");
    if (ioctl(fd, SIOCSIFNETMASK, &request) < 0) {
        return complain("mask");
    }
    if (ioctl(fd, SIOCGIFFLAGS, &request) < 0) {
        return complain(words[0]);
    }
    request.flags |= UP;
    return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? complain(words[0]) : 0;
}

/* Whether something comes in time. */
static int comes(int fd) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    return poll(&wanted, 1, WAIT_SECONDS * 1000) == 1;
}

/* The Internet's checksum (RFC 1071). */
static unsigned short checksum(const unsigned short *at, size_t bytes) {
    unsigned int sum = 0;
    for (size_t i = 0; i < bytes / 2; i++) {
        sum += at[i];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16));
}

static int ping(char **words) {
    enum { ECHO_REQUEST = 8, ECHO_REPLY = 0, IDENTITY = 0x5359, ICMP = 1 };
    struct sockaddr_in there = place(words[0], "0");
    int times = words[1] ? atoi(words[1]) : 4;
    int fd = syscall(__NR_socket, INTERNET, RAW, ICMP);
    if (fd < 0 || socket_connect(fd, &there, sizeof(there)) < 0) {
        return complain(words[0]);
    }
    for (int i = 1; i <= times; i++) {
        /* type and code; checksum; identity; sequence; data */
        unsigned short packet[PING_BYTES / 2] = {ECHO_REQUEST, 0, IDENTITY, i};
        unsigned short answer[256] = {0};
        long long began = monotonic();
        for (int at = 4; at < PING_BYTES / 2; at++) {
            packet[at] = at * 257 + i;
        }
        packet[1] = checksum(packet, sizeof(packet));
        for (int wanted = 1, tries = 0; wanted;) {
            /* after an IP header, whose length in words is in its first byte */
            unsigned short *found;
            if (tries == 0 || !comes(fd)) {
                if (tries++ == TRIES) {
                    return 1;
                }
                if (tries > 1) {
                    printf("net: no answer from %s\n", words[0]);
                }
                if (write(fd, packet, sizeof(packet)) != (long)sizeof(packet)) {
                    return complain(words[0]);
                }
                continue;
            }
            if (read(fd, answer, sizeof(answer)) < 0) {
                return complain(words[0]);
            }
            found = answer + (answer[0] & 15) * 2;
            wanted = found[0] != ECHO_REPLY || found[2] != IDENTITY || found[3] != i ||
                     memcmp(found + 4, packet + 4, PING_BYTES - 8) != 0;
        }
        printf("%d bytes from %s: %d, %d us\n", PING_BYTES, words[0], i,
               (int)((monotonic() - began) / 1000));
    }
    return 0;
}

static int connected(char **words) {
    struct sockaddr_in there = place(words[0], words[1]);
    int fd = socket_make(INTERNET, STREAM);
    return fd >= 0 && socket_connect(fd, &there, sizeof(there)) < 0 ? -1 : fd;
}

static int echo(char **words) {
    char sent[BLOCK], got[BLOCK];
    int blocks = atoi(words[2]);
    long long began = monotonic();
    int fd = connected(words);
    if (fd < 0) {
        return complain(words[0]);
    }
    for (int i = 0; i < blocks; i++) {
        for (int at = 0; at < BLOCK; at++) {
            sent[at] = i * 7 + at;
        }
        if (write_all(fd, sent, BLOCK) != BLOCK || read_all(fd, got, BLOCK) != BLOCK) {
            return complain(words[0]);
        }
        if (memcmp(sent, got, BLOCK) != 0) {
            printf("net: kilobyte %d came back different\n", i);
            return 1;
        }
    }
    printf("%d KB to %s and back, %d us\n", blocks, words[0], (int)((monotonic() - began) / 1000));
    return 0;
}

static int say(char **words) {
    char got[BLOCK];
    long bytes;
    int fd = connected(words);
    if (fd < 0 || write_all(fd, words[2], strlen(words[2])) < 0 || write_all(fd, "\n", 1) < 0) {
        return complain(words[0]);
    }
    syscall(__NR_shutdown, fd, 1); /* SHUT_WR: that was all */
    while ((bytes = read(fd, got, sizeof(got))) > 0) {
        write_all(1, got, bytes);
    }
    return bytes < 0 ? complain(words[0]) : 0;
}

static int serve(char **words) {
    struct sockaddr_in here = place("0.0.0.0", words[0]);
    int times = words[1] ? atoi(words[1]) : 1;
    int fd = socket_make(INTERNET, STREAM);
    if (fd < 0 || socket_bind(fd, &here, sizeof(here)) < 0 || socket_listen(fd, 4) < 0) {
        return complain(words[0]);
    }
    printf("serving port %s\n", words[0]);
    while (times-- > 0) {
        static char buffer[BLOCK];
        long total = 0;
        long bytes;
        int one = socket_accept(fd);
        while ((bytes = read(one, buffer, sizeof(buffer))) > 0) {
            if (write_all(one, buffer, bytes) < 0) {
                break;
            }
            total += bytes;
        }
        close(one);
        printf("echoed %d bytes\n", (int)total);
    }
    return 0;
}

/* Each datagram begins with its number, so that one that comes late is known. */
static int udp(char **words) {
    static unsigned char sent[DATAGRAM_MOST], got[DATAGRAM_MOST + 1];
    struct sockaddr_in there = place(words[0], words[1]);
    int times = words[2] ? atoi(words[2]) : 20;
    int fd = socket_make(INTERNET, DATAGRAM);
    if (fd < 0 || socket_connect(fd, &there, sizeof(there)) < 0) {
        return complain(words[0]);
    }
    for (int i = 1; i <= times; i++) {
        long bytes = DATAGRAM_MOST * i / times;
        long back = 0;
        for (long at = 0; at < bytes; at++) {
            sent[at] = i + at * 11;
        }
        for (int tries = 0; back == 0 || got[0] != sent[0];) {
            if (tries == 0 || !comes(fd)) {
                if (tries++ == TRIES) {
                    printf("net: %d bytes did not come back from %s\n", (int)bytes, words[0]);
                    return 1;
                }
                if (write(fd, sent, bytes) != bytes) {
                    return complain(words[0]);
                }
            } else if ((back = read(fd, got, sizeof(got))) < 0) {
                return complain(words[0]);
            }
        }
        if (back != bytes || memcmp(sent, got, bytes) != 0) {
            printf("net: %d bytes came back different, as %d\n", (int)bytes, (int)back);
            return 1;
        }
    }
    printf("%d datagrams to %s and back\n", times, words[0]);
    return 0;
}

static int serve_udp(char **words) {
    static unsigned char buffer[DATAGRAM_MOST];
    struct sockaddr_in here = place("0.0.0.0", words[0]);
    int times = words[1] ? atoi(words[1]) : 20;
    int last = -1;
    int fd = socket_make(INTERNET, DATAGRAM);
    if (fd < 0 || socket_bind(fd, &here, sizeof(here)) < 0) {
        return complain(words[0]);
    }
    printf("serving port %s\n", words[0]);
    for (int i = 0; i < times;) {
        struct sockaddr_in from;
        unsigned int size = sizeof(from);
        long bytes = syscall(__NR_recvfrom, fd, buffer, sizeof(buffer), 0, &from, &size);
        if (bytes < 0 || syscall(__NR_sendto, fd, buffer, bytes, 0, &from, size) != bytes) {
            return complain(words[0]);
        }
        i += bytes > 0 && buffer[0] != last;
        last = buffer[0];
    }
    printf("echoed %d datagrams\n", times);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int words;
        int (*run)(char **words);
    } commands[] = {
        {"up", 3, up},   {"ping", 1, ping},   {"echo", 3, echo},           {"say", 3, say},
        {"udp", 2, udp}, {"serve", 1, serve}, {"serve-udp", 1, serve_udp},
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (argc >= 2 + commands[i].words && strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argv + 2);
        }
    }
    printf("%s", usage);
    return 2;
}
