// SPDX-License-Identifier: Apache-2.0
//
// What the viewer shows of one process, and where in it its user is: the page, the cursor, what is
// selected, what is searched. Knows keys and screen as little as table.h does.
#pragma once

#include "call_rows.h"
#include "table.h"

#include <array>
#include <optional>
#include <string>

namespace ompcollect::report {

enum class Page : unsigned { kVerdict, kRegions, kThreads, kStates, kCalls, kLines };
inline constexpr std::array<const char *, 6> kPageNames = {"Verdict", "Regions",   "Threads",
                                                           "States",  "Call tree", "Lines"};

class Pages {
  public:
    // The process outlives this.
    explicit Pages(const Process &process);

    [[nodiscard]] const Shown &shown() const { return shown_; }
    [[nodiscard]] const Choice &choice() const { return choice_; }
    [[nodiscard]] Page page() const { return page_; }
    [[nodiscard]] const Table &table() const { return table_; }
    [[nodiscard]] size_t cursor() const { return place().cursor; }
    // Of the row at the cursor, in paragraphs.
    [[nodiscard]] std::vector<std::string> detail() const;
    // By which of the table's columns it is sorted; none: by its own order.
    [[nodiscard]] std::optional<size_t> sorted_by() const { return place().sorted_by; }
    // True of the row that is what is selected.
    [[nodiscard]] bool is_chosen(const Row &row) const;

    // The first row to show where there is room for so many: the cursor is among them.
    size_t first_row(size_t room);

    void set_width(size_t width);
    void turn_to(Page page);
    void turn(int pages);
    void move(long rows);
    // Each returns a message for the user; empty: there is nothing to say.
    std::string choose();
    std::string choose_all();
    std::string sort_by_next();
    // The next row that has the text in its name, from the cursor on or back. The same letters,
    // large or small, are one. Closed branches of the call tree are opened for it.
    std::string find(const std::string &text, bool is_back);

    void open();
    void close();
    void open_below();

  private:
    struct Place {
        size_t cursor = 0;
        size_t top = 0;
        std::optional<size_t> sorted_by;
    };
    [[nodiscard]] const Place &place() const { return places_[static_cast<size_t>(page_)]; }
    Place &place() { return places_[static_cast<size_t>(page_)]; }
    [[nodiscard]] const Row *row() const;
    void fill();
    void choice_has_changed();
    void move_to_branch(size_t branch);

    Shown shown_;
    Choice choice_;
    CallRows calls_;
    Page page_ = Page::kVerdict;
    std::array<Place, kPageNames.size()> places_ = {};
    size_t width_ = 80;
    Table table_;
};

} // namespace ompcollect::report
