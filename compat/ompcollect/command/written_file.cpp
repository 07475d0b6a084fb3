// SPDX-License-Identifier: Apache-2.0
#include "written_file.h"

#include "failure.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

// Of this process alone, also where hosts share the folder.
std::string partial_name(const std::string &path) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return path + "." + host + "-" + std::to_string(getpid()) + ".partial";
}

bool is_device(const std::string &path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

} // namespace

void write_whole(const std::string &path, const Writing &write) {
    const std::string partial = partial_name(path);
    {
        std::ofstream out(partial, std::ios::binary | std::ios::trunc);
        if (out) {
            write(out);
            out.flush();
        }
        if (!out) {
            const int error = errno;
            std::error_code ignored;
            fs::remove(partial, ignored);
            throw Failure(path + ": " + strerror(error ? error : EIO) + "; check what follows -o");
        }
    }
    std::error_code error;
    fs::rename(partial, path, error);
    if (error == std::errc::operation_not_permitted ||
        error == std::errc::function_not_supported) { // by a filter
        fs::copy_file(partial, path, fs::copy_options::overwrite_existing, error);
        std::error_code ignored;
        fs::remove(partial, ignored);
    }
    if (error) {
        std::error_code ignored;
        fs::remove(partial, ignored);
        throw Failure(path + ": " + error.message() + "; check what follows -o");
    }
}

void write_to(const std::string &path, const Writing &write) {
    if (path.empty() || path == "-") {
        write(std::cout);
        if (!std::cout.flush()) {
            throw Failure(std::string("standard output: ") + strerror(errno));
        }
    } else if (is_device(path)) {
        std::ofstream out(path, std::ios::binary);
        write(out);
        if (!out.flush()) {
            throw Failure(path + ": " + strerror(errno) + "; check what follows -o");
        }
    } else {
        write_whole(path, write);
    }
}

} // namespace ompcollect::report
