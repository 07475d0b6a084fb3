// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include "base/options.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <unistd.h>

namespace ocb {
namespace {

struct CauseRow {
    LogCause cause;
    LogCategory category;
};
constexpr CauseRow kCauses[] = {
    {LogCause::kNoOmptRuntime, LogCategory::kRuntime},
    {LogCause::kToolDisabled, LogCategory::kRuntime},
    {LogCause::kOtherTool, LogCategory::kTool},
    {LogCause::kInitialisedEarlier, LogCategory::kRuntime},
    {LogCause::kSecondRuntime, LogCategory::kRuntime},
    {LogCause::kRefusedByRuntime, LogCategory::kRuntime},
    {LogCause::kBadOption, LogCategory::kOptions},
    {LogCause::kStopTimedOut, LogCategory::kSession},
    {LogCause::kStarted, LogCategory::kSession},
    {LogCause::kAttached, LogCategory::kRuntime},
    {LogCause::kDetached, LogCategory::kRuntime},
    {LogCause::kCallbackRefused, LogCategory::kSession},
    {LogCause::kClientToolNotLoaded, LogCategory::kTool},
    {LogCause::kClientToolAttached, LogCategory::kTool},
    {LogCause::kNoRuntimeYet, LogCategory::kRuntime},
    {LogCause::kFirstRegistration, LogCategory::kSession},
    {LogCause::kPaused, LogCategory::kSession},
    {LogCause::kStopped, LogCategory::kSession},
    {LogCause::kControlPaused, LogCategory::kControl},
    {LogCause::kControlEnded, LogCategory::kControl},
    {LogCause::kControlIgnored, LogCategory::kControl},
};
constexpr bool causes_are_in_order() {
    int expected = 0;
    for (const CauseRow &row : kCauses)
        if (static_cast<int>(row.cause) != expected++)
            return false;
    return expected == static_cast<int>(LogCause::kCount);
}
static_assert(causes_are_in_order());

constinit std::atomic<unsigned> said_causes{0};
static_assert(static_cast<int>(LogCause::kCount) <= 32);

constexpr const char *kLevelNames[] = {"off", "error", "warning", "info", "debug"};

class Line {
  public:
    void add(const char *text) {
        if (text == nullptr)
            return;
        std::size_t length = std::strlen(text);
        if (length > sizeof(buffer_) - 1 - used_)
            length = sizeof(buffer_) - 1 - used_;
        std::memcpy(buffer_ + used_, text, length);
        used_ += length;
    }
    void write_out() {
        buffer_[used_++] = '\n';
        // A log line that cannot be written has nowhere else to go.
        if (write(STDERR_FILENO, buffer_, used_) < 0)
            return;
    }

  private:
    char buffer_[768];
    std::size_t used_ = 0;
};

} // namespace

LogCategory category_of(LogCause cause) {
    return kCauses[static_cast<int>(cause)].category;
}

void log_once(LogLevel level, LogCause cause, const char *part0, const char *part1,
              const char *part2, const char *part3, const char *part4) {
    const unsigned category = 1U << static_cast<unsigned>(category_of(cause));
    const Options &set = options();
    if (level > ((set.log_categories & category) != 0 ? set.log_level : Options().log_level))
        return;
    const unsigned bit = 1U << static_cast<unsigned>(cause);
    if ((said_causes.fetch_or(bit, std::memory_order_relaxed) & bit) != 0)
        return;
    const int saved_errno = errno;
    Line line;
    line.add("[omp-collector-bridge] ");
    line.add(kLevelNames[static_cast<int>(level)]);
    line.add(": ");
    for (const char *part : {part0, part1, part2, part3, part4})
        line.add(part);
    line.write_out();
    errno = saved_errno;
}

} // namespace ocb
