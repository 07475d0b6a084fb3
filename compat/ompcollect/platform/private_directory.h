// SPDX-License-Identifier: Apache-2.0
//
// A directory of our own for the time of a run, removed with everything in it. Its name carries who
// owns it, so that the next launcher finds what one that was killed has left.
#pragma once

#include <string>
#include <vector>

namespace ompcollect {

// True if ld.so would take the path in LD_PRELOAD for something else: it splits at spaces and
// colons and expands names after a dollar sign.
bool unfit_for_preload(const std::string &path);

class PrivateDirectory {
  public:
    // Under TMPDIR, or where that is missing, unusable or unfit_for_preload(), under /tmp and
    // /var/tmp.
    PrivateDirectory();
    // Takes over one that is there.
    explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}
    ~PrivateDirectory();
    PrivateDirectory(const PrivateDirectory &) = delete;
    PrivateDirectory &operator=(const PrivateDirectory &) = delete;

    [[nodiscard]] const std::string &path() const { return path_; }

    // Async-signal-safe: removes the directory from a handler that ends the process.
    void remove_at_once() const;

  private:
    std::string path_;
};

// One at the same places that stays.
std::string make_lasting_directory();

// The directories of launchers of this user that are no more. Each is renamed first, so that no
// other launcher finds it as well; the caller owns it.
std::vector<std::string> take_abandoned_directories();

} // namespace ompcollect
