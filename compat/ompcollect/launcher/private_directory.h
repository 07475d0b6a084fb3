// SPDX-License-Identifier: Apache-2.0
//
// A directory of our own for the time of a run, removed with everything in it.
#ifndef OMPCOLLECT_PRIVATE_DIRECTORY_H
#define OMPCOLLECT_PRIVATE_DIRECTORY_H

#include <string>

namespace ompcollect {

// True if ld.so would take the path in LD_PRELOAD for something else: it splits at spaces and
// colons and expands names after a dollar sign.
bool unfit_for_preload(const std::string &path);

class PrivateDirectory {
  public:
    // Under TMPDIR, or where that is missing, unusable or unfit_for_preload(), under /tmp and
    // /var/tmp.
    PrivateDirectory();
    ~PrivateDirectory();
    PrivateDirectory(const PrivateDirectory &) = delete;
    PrivateDirectory &operator=(const PrivateDirectory &) = delete;

    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

} // namespace ompcollect

#endif
