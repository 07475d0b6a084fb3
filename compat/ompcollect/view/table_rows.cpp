// SPDX-License-Identifier: Apache-2.0
#include "table_rows.h"

#include "words.h"

namespace ompcollect::report {
namespace {

constexpr char kNone[] = "-";

} // namespace

void add_time(Row &row, double seconds) {
    row.values.push_back(seconds);
    row.texts.push_back(is_known(seconds) ? duration(seconds) : kNone);
}

void add_share(Row &row, double share) {
    row.values.push_back(share);
    row.texts.push_back(is_known(share) ? percent(share) : kNone);
}

void add_count(Row &row, uint64_t count) {
    row.values.push_back(static_cast<double>(count));
    row.texts.push_back(grouped(count));
}

} // namespace ompcollect::report
