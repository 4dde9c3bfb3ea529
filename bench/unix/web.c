/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a request take of a web server that asks a FastCGI server? (Uhlig et al., "Performance
 * of Address-Space Multiplexing on the Pentium", 4.6, Fig. 7, who have thttpd and "hello world".)
 *
 * The measured process is a small web server with a single thread: it reads a request, takes it to
 * pieces, hands it on by the FastCGI protocol over a Unix socket, and makes the reply from what
 * comes back, up to where it would be sent. The FastCGI server is a process with Debian's libfcgi,
 * which goes through a working set for each request. Requests come over the network, from another
 * machine (servers/requests.c); their ways are not measured, nor are connections.
 *
 * A stream for each size of the working set, 1 + i for the i-th: so many pages of which a word is
 * read, by a step with which they are not in the same sets of the caches. The other machine has to
 * ask for the same sizes, warmup and rounds times each.
 *
 * Parameters: sizes=0-8 step=16 rounds= warmup= dir= port=80 address=. With an
 * address the interface eth0 gets it first.
 */
#include "fastcgi_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <fastcgi.h>

#define MAX_SIZES  32u
#define TEXT       4096u
#define REQUEST_ID 1

static const char page[] = "/hello.fcgi";

struct web {
    int network; /* where connections come in, and the one that there is */
    int client;
    int fastcgi;
    unsigned pages;
    char request[TEXT], answer[2 * TEXT], reply[2 * TEXT + 256];
};

/* ---- the web server ---- */

static size_t put_record(unsigned char *at, unsigned type, const void *content, size_t size) {
    const FCGI_Header header = {
        .version = FCGI_VERSION_1,
        .type = (unsigned char)type,
        .requestIdB0 = REQUEST_ID,
        .contentLengthB1 = (unsigned char)(size >> 8),
        .contentLengthB0 = (unsigned char)size,
    };
    memcpy(at, &header, FCGI_HEADER_LEN);
    memcpy(at + FCGI_HEADER_LEN, content, size);
    return FCGI_HEADER_LEN + size;
}

/* A name and a value of less than 128 bytes each. */
static size_t put_pair(unsigned char *at, const char *name, const char *value) {
    size_t name_size = strlen(name), value_size = strlen(value);
    at[0] = (unsigned char)name_size;
    at[1] = (unsigned char)value_size;
    memcpy(at + 2, name, name_size);
    memcpy(at + 2 + name_size, value, value_size);
    return 2 + name_size + value_size;
}

static bool send_on(const struct web *web, const char *path, const char *query, const char *host) {
    const FCGI_BeginRequestBody begin = {.roleB0 = FCGI_RESPONDER, .flags = FCGI_KEEP_CONN};
    unsigned char pairs[TEXT], records[2 * TEXT];
    size_t size = put_pair(pairs, "REQUEST_METHOD", "GET");
    size += put_pair(pairs + size, "SCRIPT_NAME", path);
    size += put_pair(pairs + size, "QUERY_STRING", query);
    size += put_pair(pairs + size, "HTTP_HOST", host);
    size += put_pair(pairs + size, "SERVER_PROTOCOL", "HTTP/1.0");
    size_t all = put_record(records, FCGI_BEGIN_REQUEST, &begin, sizeof(begin));
    all += put_record(records + all, FCGI_PARAMS, pairs, size);
    all += put_record(records + all, FCGI_PARAMS, NULL, 0);
    all += put_record(records + all, FCGI_STDIN, NULL, 0);
    return write(web->fastcgi, records, all) == (ssize_t)all;
}

static bool take(int fd, void *to, size_t size) {
    for (size_t taken = 0; taken < size;) {
        ssize_t more = read(fd, (char *)to + taken, size - taken);
        if (more <= 0) {
            return false;
        }
        taken += (size_t)more;
    }
    return true;
}

/* What it writes, up to the record that ends the request. */
static bool take_answer(struct web *web) {
    size_t size = 0;
    for (;;) {
        FCGI_Header header;
        unsigned char content[TEXT];
        if (!take(web->fastcgi, &header, FCGI_HEADER_LEN)) {
            return false;
        }
        size_t length = (size_t)header.contentLengthB1 << 8 | header.contentLengthB0;
        size_t whole = length + header.paddingLength;
        if (whole > TEXT || size + length >= TEXT || !take(web->fastcgi, content, whole)) {
            return false;
        }
        if (header.type == FCGI_END_REQUEST) {
            web->answer[size] = '\0';
            return true;
        }
        if (header.type == FCGI_STDOUT) {
            memcpy(web->answer + size, content, length);
            size += length;
        }
    }
}

/* "GET PATH?QUERY HTTP/1.0", lines of a name and a value, an empty line. */
static bool handle(void *context) {
    struct web *web = context;
    ssize_t size = read(web->client, web->request, TEXT - 1);
    if (size <= 0) {
        return false;
    }
    web->request[size] = '\0';
    char *rest = NULL;
    char *line = strtok_r(web->request, "\r\n", &rest);
    char *words = NULL;
    const char *method = line == NULL ? NULL : strtok_r(line, " ", &words);
    char *path = method == NULL ? NULL : strtok_r(NULL, " ", &words);
    const char *host = "";
    while ((line = strtok_r(NULL, "\r\n", &rest)) != NULL) {
        if (strncasecmp(line, "Host: ", 6) == 0) {
            host = line + 6;
        }
    }
    char *query = path == NULL ? NULL : strchr(path, '?');
    if (query == NULL || strcmp(method, "GET") != 0 || strlen(query) > 100 || strlen(host) > 100 ||
        strtoul(query + 1, NULL, 10) != web->pages) {
        return false;
    }
    *query++ = '\0';
    if (strcmp(path, page) != 0 || !send_on(web, path, query, host) || !take_answer(web)) {
        return false;
    }
    char *body = strstr(web->answer, "\r\n\r\n");
    if (body == NULL) {
        return false;
    }
    body[2] = '\0';
    body += 4;
    int length = snprintf(web->reply, sizeof(web->reply),
                          "HTTP/1.0 200 OK\r\nServer: suite\r\n%sContent-length: %u\r\n\r\n%s",
                          web->answer, (unsigned)strlen(body), body);
    return length > 0 && (size_t)length < sizeof(web->reply);
}

/* ---- who asks: another machine, a connection a request ---- */

static bool listen_to_network(struct web *web) {
    const struct sockaddr_in here = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)parameter_number("port", 80)),
    };
    web->network = socket(AF_INET, SOCK_STREAM, 0);
    return (web->network >= 0 &&
            bind(web->network, (const struct sockaddr *)&here, sizeof(here)) == 0 &&
            listen(web->network, 8) == 0) ||
           failed("listening");
}

/* Sends the last reply, if there is one, which ends with its connection. */
static bool reply(struct web *web) {
    if (web->client < 0) {
        return true;
    }
    size_t size = strlen(web->reply);
    bool good = write(web->client, web->reply, size) == (ssize_t)size;
    (void)close(web->client);
    web->client = -1;
    return good;
}

/* Replies, and waits until the next request has arrived. A connection that ends without one was
 * given up by the other side. */
static bool next_request(void *context) {
    struct web *web = context;
    bool good = reply(web);
    while (good) {
        char byte;
        web->client = accept(web->network, NULL, NULL);
        if (web->client < 0) {
            return false;
        }
        if (recv(web->client, &byte, 1, MSG_PEEK) > 0) {
            return true;
        }
        (void)close(web->client);
    }
    return good;
}

static bool connect_fastcgi(struct web *web, unsigned pages, pid_t *child) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    scratch_name(address.sun_path, sizeof(address.sun_path), "fastcgi");
    *child = fastcgi_start(address.sun_path, pages);
    web->fastcgi = socket(AF_UNIX, SOCK_STREAM, 0);
    bool good = *child > 0 &&
                connect(web->fastcgi, (const struct sockaddr *)&address, sizeof(address)) == 0;
    (void)unlink(address.sun_path);
    return good || failed("starting a process");
}

static bool requests(void) {
    static struct web web = {.client = -1};
    unsigned sizes[MAX_SIZES], step = parameter_number("step", 16);
    unsigned n = parameter_list("sizes", "0-8", sizes, MAX_SIZES);
    pid_t child = -1;
    unsigned most = sizes[n - 1] * step;
    bool good = connect_fastcgi(&web, most, &child) && network_up() && listen_to_network(&web);
    for (unsigned i = 0; good && i < n; i++) {
        web.pages = sizes[i] * step;
        good = web.pages <= most && measure(&(struct measured){.stream = 1 + i,
                                                               .name = "web",
                                                               .run = handle,
                                                               .prepare = next_request,
                                                               .context = &web,
                                                               .rounds = 100,
                                                               .warmup = 10,
                                                               .per = 1,
                                                               .once = true,
                                                               .apart = true});
    }
    good = reply(&web) && good;
    child_end(child);
    return good;
}

const struct question question_web = {"web", "a request to a web server that asks a FastCGI server",
                                      requests};
