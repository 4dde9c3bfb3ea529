/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a request take of a web server that asks a FastCGI server? (Uhlig et al., "Performance
 * of Address-Space Multiplexing on the Pentium", 4.6, Fig. 7, who have thttpd and "hello world".)
 *
 * The measured process is a small web server with a single thread: it reads a request, takes it to
 * pieces, hands it on by the FastCGI protocol over a Unix socket, and makes the reply from what
 * comes back, up to where it would be sent. The FastCGI server is a process with Debian's libfcgi,
 * which goes through a working set for each request. Who sends the requests is not measured: here
 * it is the measured process itself, between two samples, at the other end of another Unix socket.
 *
 * A stream for each size of the working set, 1 + i for the i-th: so many pages of which a word is
 * read, by a step with which they are not in the same sets of the caches.
 *
 * Parameters: sizes=0-8 step=16 rounds= warmup= dir=
 */
#include "suite.h"

#include "../working_set.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <fastcgi.h>
#include <fcgiapp.h>

#define MAX_SIZES  32u
#define TEXT       4096u
#define REQUEST_ID 1

static const char page[] = "/hello.fcgi";

struct web {
    struct sockaddr_un address; /* of the FastCGI server */
    int listening;
    int client, server; /* the ends of the connection that requests come by */
    int fastcgi;
    unsigned pages, most;
    unsigned asked;
    char request[TEXT], answer[2 * TEXT], reply[2 * TEXT + 256], expected[64];
};

/* ---- the FastCGI server ---- */

static void serve(void *context) {
    const struct web *web = context;
    size_t size = ((size_t)web->most + 1) * WORKING_SET_STEP;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FCGX_Request request;
    if (memory == MAP_FAILED || FCGX_Init() != 0 ||
        FCGX_InitRequest(&request, web->listening, 0) != 0) {
        _exit(1);
    }
    memset(memory, 1, size); /* pages of its own, none of them the page of zeros */
    while (FCGX_Accept_r(&request) == 0) {
        const char *query = FCGX_GetParam("QUERY_STRING", request.envp);
        unsigned pages = query == NULL ? 0 : (unsigned)strtoul(query, NULL, 10);
        working_set_read((uintptr_t)memory, pages, WORKING_SET_STEP);
        (void)FCGX_FPrintF(request.out, "Content-type: text/html\r\n\r\nHello, world: %s\n", query);
    }
    _exit(1);
}

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
    size += put_pair(pairs + size, "SERVER_PROTOCOL", "HTTP/1.1");
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

/* "GET PATH?QUERY HTTP/1.1", lines of a name and a value, an empty line. */
static bool handle(void *context) {
    struct web *web = context;
    ssize_t size = read(web->server, web->request, TEXT - 1);
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
    if (query == NULL || strcmp(method, "GET") != 0 || strlen(query) > 100 || strlen(host) > 100) {
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
                          "HTTP/1.1 200 OK\r\nServer: suite\r\n%sContent-length: %u\r\n\r\n%s",
                          web->answer, (unsigned)strlen(body), body);
    return length > 0 && (size_t)length < sizeof(web->reply);
}

/* ---- who asks ---- */

/* Compares the last reply, and asks anew. */
static bool ask(void *context) {
    struct web *web = context;
    char request[256];
    const char *body = strstr(web->reply, "\r\n\r\n");
    if (web->asked++ > 0 && (body == NULL || strcmp(body + 4, web->expected) != 0)) {
        return false;
    }
    snprintf(web->expected, sizeof(web->expected), "Hello, world: %u\n", web->pages);
    int size = snprintf(request, sizeof(request),
                        "GET %s?%u HTTP/1.1\r\nHost: switchyard\r\nUser-Agent: suite\r\n"
                        "Accept: text/html\r\nConnection: keep-alive\r\n\r\n",
                        page, web->pages);
    return write(web->client, request, (size_t)size) == size;
}

static bool connect_all(struct web *web, pid_t *child) {
    int ends[2];
    web->address.sun_family = AF_UNIX;
    scratch_name(web->address.sun_path, sizeof(web->address.sun_path), "fastcgi");
    const struct sockaddr *address = (const struct sockaddr *)&web->address;
    web->listening = socket(AF_UNIX, SOCK_STREAM, 0);
    web->fastcgi = socket(AF_UNIX, SOCK_STREAM, 0);
    bool good = bind(web->listening, address, sizeof(web->address)) == 0 &&
                listen(web->listening, 1) == 0 && os_socket_pair(ends);
    if (!good) {
        return failed("sockets");
    }
    *child = child_start(serve, web);
    web->client = ends[0];
    web->server = ends[1];
    good = *child > 0 && connect(web->fastcgi, address, sizeof(web->address)) == 0;
    (void)unlink(web->address.sun_path);
    return good || failed("starting a process");
}

static bool requests(void) {
    static struct web web;
    unsigned sizes[MAX_SIZES], step = parameter_number("step", 16);
    unsigned n = parameter_list("sizes", "0-8", sizes, MAX_SIZES);
    pid_t child = -1;
    web.most = sizes[n - 1] * step;
    bool good = connect_all(&web, &child);
    for (unsigned i = 0; good && i < n; i++) {
        web.pages = sizes[i] * step;
        web.asked = 0;
        good = web.pages <= web.most && measure(&(struct measured){.stream = 1 + i,
                                                                   .name = "web",
                                                                   .run = handle,
                                                                   .prepare = ask,
                                                                   .context = &web,
                                                                   .rounds = 100,
                                                                   .warmup = 10,
                                                                   .per = 1,
                                                                   .once = true});
    }
    child_end(child);
    return good;
}

const struct question question_web = {"web", "a request to a web server that asks a FastCGI server",
                                      requests};
