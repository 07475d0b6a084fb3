// SPDX-License-Identifier: Apache-2.0
#include "viewer.h"

#include "failure.h"
#include "pages.h"
#include "painter.h"
#include "terminal.h"
#include "words.h"

#include <memory>

namespace ompcollect::report {
namespace {

class Viewer {
  public:
    Viewer(const Run &run, Terminal &terminal) : run_(run), terminal_(terminal) { show(0); }
    void go();

  private:
    void show(size_t process);
    void act(const KeyPress &press);
    void act_on_letter(char32_t letter);
    void type(const KeyPress &press);
    void search(bool is_back);
    void turn_process(bool is_back);

    const Run &run_;
    Terminal &terminal_;
    size_t process_ = 0;
    std::unique_ptr<Pages> pages_;
    Frame frame_;
    bool is_typing_ = false;
    bool is_helping_ = false;
    bool has_ended_ = false;
    std::string searched_;
};

void Viewer::show(size_t process) {
    process_ = process;
    pages_ = std::make_unique<Pages>(run_.processes[process]);
    frame_ = {};
    if (run_.processes.size() > 1) {
        const Process &own = run_.processes[process];
        frame_.title = ", process " + grouped(process + 1) + " of " +
                       grouped(run_.processes.size()) +
                       (own.rank.empty() ? "" : ", rank " + own.rank);
    }
}

void Viewer::go() {
    while (!has_ended_) {
        if (is_helping_) {
            paint_help(terminal_);
        } else {
            paint(terminal_, *pages_, frame_);
        }
        const KeyPress press = terminal_.read();
        if (press.key == Key::kGone) {
            return;
        }
        if (press.key == Key::kResize || press.key == Key::kOther) {
            continue;
        }
        if (is_helping_) {
            is_helping_ = false;
        } else if (is_typing_) {
            type(press);
        } else {
            frame_.bottom.clear();
            act(press);
        }
    }
}

// Of what is searched: a letter more or less, or its end.
void Viewer::type(const KeyPress &press) {
    if (press.key == Key::kLetter && press.letter < 0x7f) {
        searched_ += static_cast<char>(press.letter);
    } else if (press.key == Key::kBackspace && !searched_.empty()) {
        searched_.pop_back();
    } else if (press.key == Key::kEnter || press.key == Key::kEscape) {
        is_typing_ = false;
        frame_.bottom.clear();
        if (press.key == Key::kEnter) {
            search(false);
        }
        return;
    }
    frame_.bottom = " Search: " + searched_ + "_";
}

void Viewer::search(bool is_back) {
    frame_.bottom = searched_.empty() ? " Nothing is searched; / begins."
                                      : " " + pages_->find(searched_, is_back);
}

void Viewer::turn_process(bool is_back) {
    const size_t count = run_.processes.size();
    if (count > 1) {
        show((process_ + (is_back ? count - 1 : 1)) % count);
    } else {
        frame_.bottom = " The run has one process.";
    }
}

void Viewer::act(const KeyPress &press) {
    const long screen = static_cast<long>(rows_of_list(terminal_));
    const long all = static_cast<long>(pages_->table().rows.size());
    std::string message;
    switch (press.key) {
    case Key::kLetter:
        act_on_letter(press.letter);
        return;
    case Key::kUp:
        pages_->move(-1);
        break;
    case Key::kDown:
        pages_->move(1);
        break;
    case Key::kPageUp:
        pages_->move(-screen);
        break;
    case Key::kPageDown:
        pages_->move(screen);
        break;
    case Key::kHome:
        pages_->move(-all);
        break;
    case Key::kEnd:
        pages_->move(all);
        break;
    case Key::kLeft:
        pages_->close();
        break;
    case Key::kRight:
        pages_->open();
        break;
    case Key::kTab:
        pages_->turn(1);
        break;
    case Key::kBackTab:
        pages_->turn(-1);
        break;
    case Key::kEnter:
        message = pages_->choose();
        break;
    case Key::kEscape:
        message = pages_->choose_all();
        break;
    case Key::kBackspace:
    case Key::kResize:
    case Key::kGone:
    case Key::kOther:
        break;
    }
    frame_.bottom = message.empty() ? "" : " " + message;
}

void Viewer::act_on_letter(char32_t letter) {
    constexpr char32_t kFirstPage = '1';
    if (letter >= kFirstPage && letter < kFirstPage + kPageNames.size()) {
        pages_->turn_to(static_cast<Page>(letter - kFirstPage));
        return;
    }
    switch (letter) {
    case 'q':
        has_ended_ = true;
        break;
    case 'j':
        pages_->move(1);
        break;
    case 'k':
        pages_->move(-1);
        break;
    case 'h':
        pages_->close();
        break;
    case 'l':
        pages_->open();
        break;
    case '*':
        pages_->open_below();
        break;
    case 's':
        frame_.bottom = " " + pages_->sort_by_next();
        break;
    case '/':
        is_typing_ = true;
        searched_.clear();
        frame_.bottom = " Search: _";
        break;
    case 'n':
    case 'N':
        search(letter == 'N');
        break;
    case 'p':
    case 'P':
        turn_process(letter == 'P');
        break;
    case '?':
        is_helping_ = true;
        break;
    default:
        frame_.bottom = " No such key; ? shows the keys.";
    }
}

} // namespace

void view_run(const Run &run) {
    if (run.processes.empty()) {
        throw Failure("no process in this run used OpenMP");
    }
    Terminal terminal;
    Viewer(run, terminal).go();
}

} // namespace ompcollect::report
