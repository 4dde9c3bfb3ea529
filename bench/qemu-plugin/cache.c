/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin for QEMU that models caches as far as their tags. `switchyard bench` compares the
 * simulator with it: arm926.h, p4.h and u74.h say what is looked up for which guest. It is what a
 * plugin can do: it sees no page tables, no page that is not to be cached and no write buffer, and
 * what the guest reads does not come out of its caches.
 *
 *   qemu-system-arm -plugin cache.so,model=arm926|p4|u74,out=FILE[,lookups=off]
 *
 * FILE gets the counts as JSON when QEMU ends. With lookups=off it counts instructions only.
 * QEMU's guest has one processor, whose callbacks never run side by side: nothing is locked.
 */
#include "api.h"
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qemu_plugin_version = API_VERSION;

static uint64_t instructions;
static const char *out;

/* A cache that a model has, by the name that its counts get. */
struct named {
    const char *name;
    const struct cache *cache;
};

/* What a guest's processor has, and what to do when a block of its code was translated. */
struct model {
    const char *name;
    qemu_plugin_tb_trans_cb *look_up, *count;
    const uint64_t *fetches; /* what counts an instruction where `instructions` does not, or NULL */
    struct named caches[8];  /* up to the one without a name */
};

#include "arm926.h"
#include "p4.h"
#include "u74.h"

static const struct model *const models[] = {&arm926, &p4, &u74};
static const struct model *model;

static void ended(qemu_plugin_id_t id, void *none) {
    FILE *file = fopen(out, "w");
    (void)id;
    (void)none;
    if (!file) {
        fprintf(stderr, "cache.so: %s cannot be written\n", out);
        return;
    }
    fprintf(file, "{\"instructions\": %" PRIu64,
            instructions + (model->fetches ? *model->fetches : 0));
    for (const struct named *one = model->caches; one->name; one++) {
        fprintf(file, ", \"%s_accesses\": %" PRIu64 ", \"%s_misses\": %" PRIu64, one->name,
                one->cache->accesses, one->name, one->cache->misses);
    }
    fprintf(file, "}\n");
    fclose(file);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
                        char **argv) {
    bool lookups = true;
    (void)info;
    for (int i = 0; i < argc; i++) {
        const struct model *named = NULL;
        for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++) {
            if (strncmp(argv[i], "model=", 6) == 0 && strcmp(argv[i] + 6, models[m]->name) == 0) {
                named = models[m];
            }
        }
        if (named) {
            model = named;
        } else if (strncmp(argv[i], "out=", 4) == 0) {
            out = argv[i] + 4; /* stays valid for as long as the plugin is loaded */
        } else if (strcmp(argv[i], "lookups=off") == 0) {
            lookups = false;
        } else {
            fprintf(
                stderr,
                "cache.so: %s: unknown; expected model=arm926|p4|u74, out=FILE or lookups=off\n",
                argv[i]);
            return 1;
        }
    }
    if (!out || !model) {
        fprintf(stderr, "cache.so: expected model=arm926|p4|u74 and out=FILE\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, lookups ? model->look_up : model->count);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
