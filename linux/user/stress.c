/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts a Linux system under stress where virtually-tagged caches make it hard, for so many seconds:
 *
 *     stress [seconds=N] [seed=S] [workers=W] [steps=N] [scene=NAME] [without=NAME]
 *
 * Workers do one scene after the other, drawn at random, all at the same time. The same seed draws
 * the same; on a simulator all of the run is the same. Steps end a worker before its time; a name
 * of a scene leaves that alone, or leaves that out. A failure says seed, worker, step and scene,
 * and ends all.
 */
#include "stress.h"

static const struct scene *const tables[] = {memory_scenes, process_scenes, shared_scenes,
                                             thread_scenes, swap_scenes,    module_scenes};

enum { MOST_SCENES = 24, MOST_WORKERS = 8, TIMEOUT_SECONDS = 120 };

static const struct scene *scenes[MOST_SCENES];
static unsigned int scene_count;

/* How often each has been played to its end; the workers count into one page. */
static unsigned int (*played)[MOST_SCENES];

pid_t forked(void) {
    pid_t child = fork();
    EXPECT(child >= 0);
    return child;
}

void turns_make(struct turns *turns, unsigned int count) {
    for (unsigned int i = 0; i < count; i++) {
        EXPECT(pipe(turns->pipes[i]) == 0);
    }
}

void turn_wait(const struct turns *turns, unsigned int own) {
    char token;
    EXPECT(read(turns->pipes[own][0], &token, 1) == 1);
}

void turn_pass(const struct turns *turns, unsigned int to) {
    EXPECT(write(turns->pipes[to][1], "t", 1) == 1);
}

static const struct scene *draw_scene(struct random *random) {
    unsigned int sum = 0;
    unsigned int at;
    const struct scene *const *scene = scenes;
    for (unsigned int i = 0; i < scene_count; i++) {
        sum += scenes[i]->weight;
    }
    for (at = draw(random, sum); at >= (*scene)->weight; scene++) {
        at -= (*scene)->weight;
    }
    return *scene;
}

/* Whether all is well. */
static int play(const struct scene *scene, struct random *random) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        interval_timer(TIMEOUT_SECONDS * 1000000, 0);
        scene->run(random);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        printf("  no process: error %d\n", errno);
        return 0;
    }
    kill(-child, SIGKILL);
    if (ended_by(status)) {
        printf("  ended by signal %d\n", ended_by(status));
    }
    return status == 0;
}

/* First the workers share all scenes between them, however long that takes; then each draws. */
static void work(unsigned int seed, unsigned int worker, unsigned int workers, unsigned int steps,
                 long long until) {
    for (unsigned int step = 0; step < steps; step++) {
        struct random random = drawn_from(seed, worker << 24 | step);
        unsigned int turn = step * workers + worker;
        const struct scene *scene = turn < scene_count ? scenes[turn] : draw_scene(&random);
        if (turn >= scene_count && monotonic() >= until) {
            break;
        }
        if (!play(scene, &random)) {
            printf("FAIL seed=%u worker=%u step=%u scene=%s\n", seed, worker, step, scene->name);
            _exit(1);
        }
        for (unsigned int i = 0; i < scene_count; i++) {
            played[worker][i] += scenes[i] == scene;
        }
    }
    _exit(0);
}

static int choose_scenes(const char *only, const char *without) {
    for (size_t i = 0; i < LENGTH(tables); i++) {
        for (const struct scene *scene = tables[i]; scene->name; scene++) {
            if ((!only || strcmp(only, scene->name) == 0) &&
                (!without || strcmp(without, scene->name) != 0)) {
                scenes[scene_count++] = scene;
            }
        }
    }
    return scene_count != 0;
}

int main(int argc, char **argv) {
    unsigned int seed, workers, seconds, steps, failed = 0, all = 0;
    pid_t children[MOST_WORKERS];
    if (argc == 3 && strcmp(argv[1], "executed") == 0) {
        return executed_with(argv[2]);
    }
    argv += argc > 0;
    seed = argument_number(argv, "seed", 1);
    seconds = argument_number(argv, "seconds", 10);
    workers = argument_number(argv, "workers", 3);
    steps = argument_number(argv, "steps", ~0u);
    if (workers == 0 || workers > MOST_WORKERS ||
        !choose_scenes(argument(argv, "scene"), argument(argv, "without"))) {
        printf("usage: stress [seconds=N] [seed=S] [workers=1..%d] [steps=N] [scene=NAME]"
               " [without=NAME]\n",
               MOST_WORKERS);
        return 2;
    }
    played = fresh(sizeof(*played) * MOST_WORKERS, MAP_SHARED);
    if (swap_make() != 0) {
        printf("stress: no swap: error %d\n", errno);
    }
    printf("stress: seed=%u workers=%u seconds=%u\n", seed, workers, seconds);
    for (unsigned int i = 0; i < workers; i++) {
        children[i] = forked();
        if (children[i] == 0) {
            work(seed, i, workers, steps, monotonic() + seconds * 1000000000LL);
        }
    }
    for (unsigned int left = workers; left > 0; left--) {
        int status;
        pid_t ended = wait(&status);
        /* The others' scenes would never fail for another reason than the first. */
        for (unsigned int i = 0; status != 0 && failed == 0 && i < workers; i++) {
            if (children[i] != ended) {
                kill(children[i], SIGKILL);
            }
        }
        failed += status != 0 && failed == 0;
    }
    for (unsigned int i = 0; i < scene_count; i++) {
        unsigned int sum = 0;
        for (unsigned int worker = 0; worker < workers; worker++) {
            sum += played[worker][i];
        }
        printf("stress: %u times %s\n", sum, scenes[i]->name);
        all += sum;
    }
    printf("RESULT steps=%u failed=%u\n", all, failed);
    return failed != 0;
}
