// SPDX-License-Identifier: Apache-2.0
//
// One line on a terminal that tells what takes so long: "ompcollect: reading run.ompc, 3 s". It
// comes after a second, is written anew each second and wiped at the end. Files and pipes get
// nothing. Owns the thread that writes it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ompcollect::report {

class Progress {
  public:
    using Duration = std::chrono::milliseconds;

    Progress(int fd, std::string what, Duration period = Duration(1000));
    ~Progress() { end(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void tell(std::string what);
    // Nothing is written from here on.
    void end();

  private:
    void run();
    void print(const std::string &line);

    const int fd_;
    const Duration period_;
    std::mutex lock_;
    std::condition_variable ends_;
    std::string what_;
    bool has_ended_ = false;
    bool is_shown_ = false;
    std::thread thread_;
};

} // namespace ompcollect::report
