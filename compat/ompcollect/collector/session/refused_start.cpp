// SPDX-License-Identifier: Apache-2.0
#include "refused_start.h"

#include "contract_names.h"
#include "preload_link.h"
#include "producer.h"
#include "settings.h"

#include <unistd.h>

namespace ompcollect {
namespace {

// A session that runs answers. Where the preloaded part has loaded us, the runtime has just taken
// the bridge: there is no other reason left, and the session may be about to begin.
bool another_has_the_session(int start_code) {
    return start_code == OMP_ERRCODE_SEQUENCE_ERR &&
           (preload_services() || ask_thread().state != 0);
}

} // namespace

void say_why_start_was_refused(int start_code) {
    const long pid = getpid();
    if (another_has_the_session(start_code)) {
        complain("another collector has a session in this process, so START was refused: no "
                 "profile of this process (pid %ld); run it without that collector",
                 pid);
        return;
    }
    complain("the request START was refused (%s): no profile of this process (pid %ld)",
             error_name(start_code), pid);
}

} // namespace ompcollect
