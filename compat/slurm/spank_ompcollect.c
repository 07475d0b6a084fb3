/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of Slurm: `srun --ompcollect[=OPTIONS] ./program` runs each task of the step under
 * ompcollect. A line of plugstack.conf loads it (docs/JOBS.md). It is read by srun, which then
 * knows the option, and by slurmstepd, which starts the tasks; there it works in the task itself,
 * as its user. The launcher is found by the plugin's own place.
 *
 * Slurm before 23.11 has no function that puts words before a task's: there the first word, which
 * is executed, is replaced by the script ompcollect-step, which gets it in the environment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>

SPANK_PLUGIN(ompcollect, 1)

static int wanted;
static char options[1024];

static int option_given(int value, const char *argument, int remote) {
    (void)value;
    (void)remote;
    wanted = 1;
    if (argument != NULL && strlen(argument) >= sizeof options) {
        slurm_error("ompcollect: more than %zu characters of options", sizeof options - 1);
        return ESPANK_BAD_ARG;
    }
    snprintf(options, sizeof options, "%s", argument != NULL ? argument : "");
    return ESPANK_SUCCESS;
}

int slurm_spank_init(spank_t spank, int count, char **arguments) {
    static struct spank_option option = {
        .name = "ompcollect",
        .arginfo = "options",
        .usage = "Profile the step's OpenMP programs; options of ompcollect may follow a =",
        .has_arg = 2,
        .val = 0,
        .cb = option_given,
    };
    (void)count;
    (void)arguments;
    return spank_option_register(spank, &option);
}

/* The script, by the place of this file in the same installation. */
static int script(char *path, size_t size) {
    Dl_info self;
    const char *slash = NULL;
    if (dladdr(&wanted, &self) == 0 || (slash = strrchr(self.dli_fname, '/')) == NULL) {
        return 0;
    }
    const int length = snprintf(path, size, "%.*s/" OCB_PLUGIN_TO_STEP,
                                (int)(slash - self.dli_fname), self.dli_fname);
    return length > 0 && (size_t)length < size;
}

/* Written to the task's stderr: nothing of this stops the program. */
static int without(const char *cause) {
    fprintf(stderr, "[ompcollect] warning: this task is not profiled: %s\n", cause);
    return 0;
}

int slurm_spank_task_init(spank_t spank, int count, char **arguments) {
    static char path[4096];
    char **words = NULL;
    int number = 0;
    (void)count;
    (void)arguments;
    if (!wanted || spank_remote(spank) != 1) {
        return 0;
    }
    if (!script(path, sizeof path)) {
        return without("the plugin does not find its own place");
    }
    if (spank_get_item(spank, S_JOB_ARGV, &number, &words) != ESPANK_SUCCESS || number < 1) {
        return without("Slurm does not give the program's name");
    }
    if (spank_setenv(spank, "OMPCOLLECT_STEP_OPTIONS", options, 1) != ESPANK_SUCCESS ||
        spank_setenv(spank, "OMPCOLLECT_STEP_PROGRAM", words[0], 1) != ESPANK_SUCCESS) {
        return without("its environment cannot be changed");
    }
    words[0] = path;
    return 0;
}
