// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include "people.h"
#include "verdict.h"
#include "words.h"

#include <unistd.h>

namespace ompcollect::report {

Progress::Progress(int fd, std::string what, Duration period)
    : fd_(fd), period_(period), what_(std::move(what)) {
    if (takes_escapes(fd)) {
        thread_ = std::thread([this] { run(); });
    }
}

void Progress::tell(std::string what) {
    const std::lock_guard<std::mutex> guard(lock_);
    what_ = std::move(what);
}

void Progress::end() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard<std::mutex> guard(lock_);
        has_ended_ = true;
    }
    ends_.notify_one();
    thread_.join();
}

void Progress::run() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock<std::mutex> guard(lock_);
    // wait_for() needs glibc 2.30. A clock that is set at that moment shifts one line.
    const auto next = [this] { return std::chrono::system_clock::now() + period_; };
    while (!ends_.wait_until(guard, next(), [this] { return has_ended_; })) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now() - begin);
        print(format("ompcollect: %s, %lld s", printable(what_).c_str(),
                     static_cast<long long>(seconds.count())));
    }
    if (is_shown_) {
        print("");
    }
}

// In the place of the line before; a line break would make it two.
void Progress::print(const std::string &line) {
    const std::string text = "\r" + line.substr(0, line_width(fd_) - 1) + "\033[K";
    is_shown_ = true;
    if (write(fd_, text.data(), text.size()) < 0) {
        has_ended_ = true; // the terminal is gone
    }
}

} // namespace ompcollect::report
