// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include "failure.h"
#include "late_library.h"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <string>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns // a macro, as all names of capabilities are

namespace ompcollect::report {
namespace {

constexpr int kEscapeWait = 25; // milliseconds for the rest of a key's bytes
constexpr char kUseReport[] = "; ompcollect report shows the run as text";

// The version of its interface is that of the header.
constexpr const char *kCurses = NCURSES_MOUSE_VERSION > 1 ? "libncursesw.so.6" : "libncursesw.so.5";
struct Curses {
    LateLibrary library{kCurses, "libncursesw6"};
    WINDOW **standard_screen = library.found<WINDOW **>("stdscr");
    OMPCOLLECT_LATE(cbreak);
    OMPCOLLECT_LATE(curs_set);
    OMPCOLLECT_LATE(delscreen);
    OMPCOLLECT_LATE(endwin);
    OMPCOLLECT_LATE(getmaxx);
    OMPCOLLECT_LATE(getmaxy);
    OMPCOLLECT_LATE(keypad);
    OMPCOLLECT_LATE(mvwaddnwstr);
    OMPCOLLECT_LATE(mvwchgat);
    OMPCOLLECT_LATE(newterm);
    OMPCOLLECT_LATE(noecho);
    OMPCOLLECT_LATE(nonl);
    OMPCOLLECT_LATE(set_escdelay);
    OMPCOLLECT_LATE(set_term);
    OMPCOLLECT_LATE(setupterm);
    OMPCOLLECT_LATE(tigetstr);
    OMPCOLLECT_LATE(wattr_off);
    OMPCOLLECT_LATE(wattr_on);
    OMPCOLLECT_LATE(werase);
    OMPCOLLECT_LATE(wget_wch);
    OMPCOLLECT_LATE(wrefresh);

    [[nodiscard]] WINDOW *window() const { return *standard_screen; }
};
const Curses &curses() {
    static const Curses kFound;
    return kFound;
}

std::string terminal_name() {
    const char *name = getenv("TERM");
    return name && *name ? name : "";
}

// What makes the screen impossible; empty: nothing.
std::string obstacle() {
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
        return "view needs a terminal for its keys and its screen, and there is none";
    }
    const std::string name = terminal_name();
    if (name.empty()) {
        return "view needs to know the terminal, and TERM is not set; set it, as in TERM=xterm";
    }
    int error = 0;
    if (curses().setupterm(nullptr, STDOUT_FILENO, &error) != OK) {
        return "view knows no terminal of the name that TERM has (" + name +
               "); install its description (Debian: ncurses-term) or set TERM=xterm";
    }
    char capability[] = "cup";
    const char *moves = curses().tigetstr(capability);
    if (!moves ||
        moves == reinterpret_cast<const char *>(-1)) { // NOLINT(performance-no-int-to-ptr)
        return "a terminal of TERM=" + name +
               " cannot place its cursor, which view needs; set TERM to what it is, as xterm";
    }
    return {};
}

attr_t attributes_of(Look look) {
    switch (look) {
    case Look::kPlain:
        return A_NORMAL;
    case Look::kBold:
        return A_BOLD;
    case Look::kReverse:
        return A_REVERSE;
    case Look::kUnderlined:
        return A_UNDERLINE;
    case Look::kDim:
        return A_DIM;
    }
    return A_NORMAL;
}

// Characters of at most `columns` columns. The locale decides what is one.
std::wstring fitting(std::string_view text, size_t columns) {
    std::wstring to;
    std::mbstate_t state = {};
    size_t used = 0;
    while (!text.empty()) {
        wchar_t letter = 0;
        const size_t size = std::mbrtowc(&letter, text.data(), text.size(), &state);
        const bool is_letter = size != 0 && size <= text.size();
        const int width = is_letter ? wcwidth(letter) : -1;
        const size_t more = width < 0 ? 1 : static_cast<size_t>(width);
        if (used + more > columns) {
            break;
        }
        used += more;
        to += width < 0 ? L'?' : letter;
        if (!is_letter) {
            state = {};
        }
        text.remove_prefix(is_letter ? size : 1);
    }
    return to;
}

struct NamedKey {
    wint_t code;
    Key key;
};
constexpr NamedKey kKeys[] = {
    {KEY_UP, Key::kUp},
    {KEY_DOWN, Key::kDown},
    {KEY_LEFT, Key::kLeft},
    {KEY_RIGHT, Key::kRight},
    {KEY_PPAGE, Key::kPageUp},
    {KEY_NPAGE, Key::kPageDown},
    {KEY_HOME, Key::kHome},
    {KEY_END, Key::kEnd},
    {KEY_BTAB, Key::kBackTab},
    {KEY_ENTER, Key::kEnter},
    {KEY_BACKSPACE, Key::kBackspace},
    {KEY_RESIZE, Key::kResize},
};
constexpr NamedKey kControls[] = {
    {'\t', Key::kTab},  {'\n', Key::kEnter},    {'\r', Key::kEnter},
    {27, Key::kEscape}, {127, Key::kBackspace}, {'\b', Key::kBackspace},
};

template <size_t kSize> Key key_of(const NamedKey (&keys)[kSize], wint_t code) {
    for (const NamedKey &each : keys) {
        if (each.code == code) {
            return each.key;
        }
    }
    return Key::kOther;
}

// After a read that gave nothing: whether none will give anything.
bool is_gone() {
    struct pollfd look = {STDIN_FILENO, POLLIN, 0};
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

} // namespace

struct Terminal::Screen {
    SCREEN *screen = nullptr;
    unsigned failures = 0; // of reads, one after the other
};

Terminal::Terminal() : screen_(std::make_unique<Screen>()) {
    setlocale(LC_CTYPE, "");
    const std::string why = obstacle();
    if (!why.empty()) {
        throw Failure(why + kUseReport);
    }
    screen_->screen = curses().newterm(nullptr, stdout, stdin);
    if (!screen_->screen) {
        throw Failure("view cannot begin on a terminal of TERM=" + terminal_name() + kUseReport);
    }
    curses().set_term(screen_->screen);
    curses().set_escdelay(kEscapeWait);
    curses().cbreak();
    curses().noecho();
    curses().nonl();
    curses().keypad(curses().window(), true);
    curses().curs_set(0);
}

Terminal::~Terminal() {
    curses().endwin();
    curses().delscreen(screen_->screen);
}

size_t Terminal::rows() const {
    return static_cast<size_t>(curses().getmaxy(curses().window()));
}

size_t Terminal::columns() const {
    return static_cast<size_t>(curses().getmaxx(curses().window()));
}

void Terminal::clear() {
    curses().werase(curses().window());
}

void Terminal::put(size_t row, size_t column, std::string_view text, Look look) {
    if (row >= rows() || column >= columns()) {
        return;
    }
    const int y = static_cast<int>(row);
    const std::wstring shown = fitting(text, columns() - column);
    const attr_t attributes = attributes_of(look);
    curses().wattr_on(curses().window(), attributes, nullptr);
    curses().mvwaddnwstr(curses().window(), y, static_cast<int>(column), shown.c_str(),
                         static_cast<int>(shown.size()));
    curses().wattr_off(curses().window(), attributes, nullptr);
    if (look == Look::kReverse) {
        curses().mvwchgat(curses().window(), y, static_cast<int>(column), -1, attributes, 0,
                          nullptr);
    }
}

void Terminal::show() {
    curses().wrefresh(curses().window());
}

KeyPress Terminal::read() {
    wint_t code = 0;
    const int kind = curses().wget_wch(curses().window(), &code);
    if (kind == KEY_CODE_YES) {
        screen_->failures = 0;
        return {key_of(kKeys, code), 0};
    }
    if (kind != OK) {
        constexpr unsigned kMostFailures = 10; // a signal is one
        const bool is_over = ++screen_->failures > kMostFailures || is_gone();
        return {is_over ? Key::kGone : Key::kOther, 0};
    }
    screen_->failures = 0;
    const Key control = key_of(kControls, code);
    return control == Key::kOther && code >= ' ' ? KeyPress{Key::kLetter, code}
                                                 : KeyPress{control, 0};
}

} // namespace ompcollect::report
