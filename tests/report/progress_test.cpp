// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

namespace ocb_test {
namespace {

using ompcollect::report::Progress;

// What comes until `part` is in it.
std::string read_until(int fd, const std::string &part) {
    std::string text;
    char bytes[256];
    while (text.find(part) == std::string::npos) {
        const ssize_t count = read(fd, bytes, sizeof bytes);
        if (count <= 0) {
            break;
        }
        text.append(bytes, static_cast<size_t>(count));
    }
    return text;
}

TEST(Progress, IsOneLineOfATerminalThatIsWipedAtTheEnd) {
    int terminal = -1;
    int program = -1;
    winsize size = {};
    size.ws_col = 60;
    ASSERT_EQ(openpty(&terminal, &program, nullptr, nullptr, &size), 0);
    std::string text;
    {
        Progress progress(program, "reading run.ompc", Progress::Duration(1));
        text = read_until(terminal, "reading run.ompc, ");
        progress.tell("writing " + std::string(100, 'x'));
        text += read_until(terminal, "writing xxx");
        progress.end();
        ASSERT_EQ(write(program, "END", 3), 3);
        text += read_until(terminal, "END");
    }
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const std::string end = "\r\033[KEND";
    ASSERT_GE(text.size(), end.size());
    EXPECT_EQ(text.substr(text.size() - end.size()), end);
    size_t longest = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t next = std::min(text.find('\r', at + 1), text.size());
        longest = std::max(longest, text.substr(at, next - at).find("\033[K"));
        at = next;
    }
    EXPECT_LE(longest, 60U);
    close(terminal);
    close(program);
}

TEST(Progress, WritesNothingToAPipe) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    {
        const Progress progress(ends[1], "reading run.ompc", Progress::Duration(0));
        usleep(20000);
    }
    pollfd found = {ends[0], POLLIN, 0};
    EXPECT_EQ(poll(&found, 1, 0), 0);
    close(ends[0]);
    close(ends[1]);
}

} // namespace
} // namespace ocb_test
