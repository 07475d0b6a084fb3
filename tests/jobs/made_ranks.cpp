// SPDX-License-Identifier: Apache-2.0
//
// made-ranks FOLDER RANKS [PATHS THREADS]: saved runs of ranks that never ran, of a megabyte each
// where nothing else is asked for. job_scale.sh measures what becomes of them.
#include "made_job.h"

#include "command.h"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: made-ranks FOLDER RANKS [PATHS THREADS]\n");
        return 2;
    }
    ocb_test::MadeJob job;
    job.ranks = static_cast<unsigned>(atoi(words[2]));
    job.paths = count > 3 ? static_cast<unsigned>(atoi(words[3])) : 20000;
    job.threads = count > 4 ? static_cast<unsigned>(atoi(words[4])) : 64;
    job.late_rank = job.ranks / 2;
    job.slow_rank = job.late_rank;
    job.samples = 1000;
    for (unsigned rank = 0; rank < job.ranks; ++rank) {
        const ompcollect::report::Process process = ocb_test::made_rank(job, rank);
        ompcollect::report::save_run({{process}}, std::string(words[1]) + "/rank-" +
                                                      std::to_string(rank) + ".ompc");
    }
    return 0;
}
