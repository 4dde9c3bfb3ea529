/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a query take of a database server on the same computer? (Uhlig et al., "Performance of
 * Address-Space Multiplexing on the Pentium", 4.7, who have MySQL with a single thread.)
 *
 * One process has Debian's SQLite and a database in its memory, and answers over a Unix socket: it
 * takes the text of a query and sends the rows as text. The measured process sends a query and
 * compares the answer with what it has worked out itself.
 *
 *     simple   one row of the orders, by its key                                      stream 1
 *     list     the orders of one customer, by an index, with their sum: 8 rows        stream 2
 *     complex  all orders with their customers, summed up by city and sorted          stream 3
 *
 * SQLite's memory comes from heap.c.
 *
 * Parameters: case=all customers=128 rounds= warmup=
 */
#include "suite.h"

#include "heap.h"

#include <sqlite3.h>

#define EACH   8u /* orders of a customer */
#define CITIES 8u
#define TEXT   4096u

struct database {
    int fd; /* the socket's end */
    unsigned customers, orders;
    unsigned asked;
    char query[TEXT], answer[TEXT], expected[TEXT];
};

/* ---- what is in it ---- */

static unsigned city_of(unsigned customer) {
    return customer * 5 % CITIES;
}

static unsigned customer_of(const struct database *db, unsigned order) {
    return order % db->customers;
}

static unsigned amount_of(unsigned order) {
    return order * 7919 % 1000;
}

/* ---- SQLite's memory ---- */

static void *memory_take(int size) {
    return heap_take((size_t)size);
}

static void *memory_resize(void *block, int size) {
    return heap_resize(block, (size_t)size);
}

static int memory_size(void *block) {
    return (int)heap_size(block);
}

static int memory_round(int size) {
    return (size + 7) & ~7;
}

static int memory_begin(void *context) {
    (void)context;
    return SQLITE_OK;
}

static void memory_end(void *context) {
    (void)context;
}

/* ---- the server ---- */

/* A row of numbers and a text that is called so, with the first of them. */
static bool insert(sqlite3 *sql, const char *into, const unsigned *numbers, int n,
                   const char *named) {
    char text[32];
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(sql, into, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        (void)sqlite3_bind_int(statement, 1 + i, (int)numbers[i]);
    }
    snprintf(text, sizeof(text), "%s %u", named, numbers[0]);
    (void)sqlite3_bind_text(statement, 1 + n, text, -1, SQLITE_STATIC);
    return sqlite3_step(statement) == SQLITE_DONE && sqlite3_finalize(statement) == SQLITE_OK;
}

static bool fill(const struct database *db, sqlite3 *sql) {
    bool good =
        sqlite3_exec(sql,
                     "CREATE TABLE customers(id INTEGER PRIMARY KEY, city INTEGER, name TEXT);"
                     "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER,"
                     " amount INTEGER, note TEXT);"
                     "CREATE INDEX by_customer ON orders(customer); BEGIN",
                     NULL, NULL, NULL) == SQLITE_OK;
    for (unsigned i = 0; good && i < db->customers; i++) {
        unsigned numbers[] = {i, city_of(i)};
        good = insert(sql, "INSERT INTO customers VALUES(?, ?, ?)", numbers, 2, "customer");
    }
    for (unsigned i = 0; good && i < db->orders; i++) {
        unsigned numbers[] = {i, customer_of(db, i), amount_of(i)};
        good = insert(sql, "INSERT INTO orders VALUES(?, ?, ?, ?)", numbers, 3, "order");
    }
    return good && sqlite3_exec(sql, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* Rows as lines, columns with a bar between them; the text's end is the answer's. */
static bool answer(struct database *db, sqlite3 *sql) {
    sqlite3_stmt *statement;
    size_t size = 0;
    int said = sqlite3_prepare_v2(sql, db->query, -1, &statement, NULL);
    while (said == SQLITE_OK && (said = sqlite3_step(statement)) == SQLITE_ROW) {
        int columns = sqlite3_column_count(statement);
        for (int i = 0; i < columns; i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            size_t length = value == NULL ? 0 : strlen(value);
            if (size + length + 2 > TEXT) {
                return false;
            }
            memcpy(db->answer + size, value, length);
            size += length;
            db->answer[size++] = i + 1 < columns ? '|' : '\n';
        }
        said = SQLITE_OK;
    }
    db->answer[size++] = '\0';
    bool good = said == SQLITE_DONE && sqlite3_finalize(statement) == SQLITE_OK;
    return good && write(db->fd, db->answer, size) == (ssize_t)size;
}

/* Reads up to a text's end. */
static bool take(int fd, char *text) {
    size_t size = 0;
    do {
        ssize_t more = size < TEXT ? read(fd, text + size, TEXT - size) : 0;
        if (more <= 0) {
            return false;
        }
        size += (size_t)more;
    } while (text[size - 1] != '\0');
    return true;
}

static void serve(void *context) {
    static const sqlite3_mem_methods memory = {
        memory_take,  heap_give,    memory_resize, memory_size,
        memory_round, memory_begin, memory_end,    NULL,
    };
    struct database *db = context;
    sqlite3 *sql = NULL;
    /* Its random numbers begin with 1: a system without a disk waits long for better ones. */
    bool good = sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
                sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK &&
                sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL) == SQLITE_OK &&
                sqlite3_open(":memory:", &sql) == SQLITE_OK && fill(db, sql);
    if (!good) {
        printf("suite: database: %s\n", sql == NULL ? "no SQLite" : sqlite3_errmsg(sql));
        fflush(stdout);
    }
    while (good && take(db->fd, db->query)) {
        good = answer(db, sql);
    }
    _exit(1);
}

/* ---- the client ---- */

static bool ask(struct database *db) {
    size_t size = strlen(db->query) + 1;
    return write(db->fd, db->query, size) == (ssize_t)size && take(db->fd, db->answer) &&
           strcmp(db->answer, db->expected) == 0;
}

/* What the measured process works out for an answer is not measured. */
static bool prepare_simple(void *context) {
    struct database *db = context;
    unsigned order = db->asked++ * 37 % db->orders;
    snprintf(db->query, TEXT, "SELECT customer, amount, note FROM orders WHERE id = %u", order);
    snprintf(db->expected, TEXT, "%u|%u|order %u\n", customer_of(db, order), amount_of(order),
             order);
    return true;
}

static bool prepare_list(void *context) {
    struct database *db = context;
    unsigned customer = db->asked++ * 37 % db->customers, size = 0;
    snprintf(db->query, TEXT,
             "SELECT o.id, o.note, c.name FROM orders o JOIN customers c ON c.id = o.customer"
             " WHERE o.customer = %u ORDER BY o.id",
             customer);
    for (unsigned order = customer; order < db->orders; order += db->customers) {
        size += (unsigned)snprintf(db->expected + size, TEXT - size, "%u|order %u|customer %u\n",
                                   order, order, customer);
    }
    return true;
}

static bool prepare_complex(void *context) {
    struct database *db = context;
    unsigned least = 100 + db->asked++ % 10, size = 0;
    snprintf(db->query, TEXT,
             "SELECT c.city, COUNT(*), SUM(o.amount) FROM orders o JOIN customers c"
             " ON c.id = o.customer WHERE o.amount >= %u GROUP BY c.city ORDER BY c.city",
             least);
    for (unsigned city = 0; city < CITIES; city++) {
        unsigned count = 0, sum = 0;
        for (unsigned order = 0; order < db->orders; order++) {
            bool counts = city_of(customer_of(db, order)) == city && amount_of(order) >= least;
            count += counts;
            sum += counts ? amount_of(order) : 0;
        }
        size +=
            (unsigned)snprintf(db->expected + size, TEXT - size, "%u|%u|%u\n", city, count, sum);
    }
    return true;
}

static bool query(void *context) {
    return ask(context);
}

static bool database(void) {
    static const struct {
        const char *name;
        operation *prepare;
        unsigned rounds;
    } cases[] = {{"simple", prepare_simple, 100},
                 {"list", prepare_list, 50},
                 {"complex", prepare_complex, 8}};
    static struct database db;
    int ends[2];
    db.customers = parameter_number("customers", 128);
    db.orders = db.customers * EACH;
    if (!os_socket_pair(ends)) {
        return failed("a socket");
    }
    db.fd = ends[1];
    pid_t server = child_start(serve, &db);
    bool good = server > 0 || failed("starting a process");
    (void)close(ends[1]);
    db.fd = ends[0];
    for (unsigned i = 0; good && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good = measure(&(struct measured){.stream = 1 + i,
                                              .name = cases[i].name,
                                              .run = query,
                                              .prepare = cases[i].prepare,
                                              .context = &db,
                                              .rounds = cases[i].rounds,
                                              .warmup = 10,
                                              .per = 1,
                                              .once = true});
        }
    }
    child_end(server);
    return good;
}

const struct question question_database = {
    "database", "a query to a database server in another process", database};
