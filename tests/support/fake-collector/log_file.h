// SPDX-License-Identifier: Apache-2.0
// The file that log.h reads.
#pragma once

#include "records.h"

namespace ocb_fake {

// Once the log is written, a record is appended to it; false: it is not written yet.
bool append_late(const Record &record);
// All that the threads have kept. What is appended later goes to the file at once.
void write_log(const char *path);

} // namespace ocb_fake
