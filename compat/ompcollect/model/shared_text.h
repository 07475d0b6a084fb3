// SPDX-License-Identifier: Apache-2.0
//
// A text that many rows have in common, as the path of a module: copies share its bytes. One
// pointer, where a shared_ptr is two: a run of many call paths has three for each node.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace ompcollect::report {

class SharedText {
  public:
    SharedText() = default;
    SharedText(std::string text) // NOLINT(google-explicit-constructor): a text like any other
        : text_(text.empty() ? nullptr : new Counted{std::move(text)}) {}
    SharedText(const char *text) // NOLINT(google-explicit-constructor)
        : SharedText(std::string(text)) {}
    SharedText(const SharedText &other) : text_(other.text_) {
        if (text_) {
            text_->uses.fetch_add(1, std::memory_order_relaxed);
        }
    }
    SharedText(SharedText &&other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
    SharedText &operator=(SharedText other) noexcept {
        std::swap(text_, other.text_);
        return *this;
    }
    ~SharedText() {
        if (text_ && text_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete text_;
        }
    }

    [[nodiscard]] const std::string &str() const {
        static const std::string kEmpty;
        return text_ ? text_->text : kEmpty;
    }
    operator const std::string &() const { // NOLINT(google-explicit-constructor)
        return str();
    }
    [[nodiscard]] bool empty() const { return !text_; }

    friend bool operator==(const SharedText &a, const SharedText &b) {
        return a.text_ == b.text_ || a.str() == b.str();
    }

  private:
    struct Counted {
        const std::string text;
        mutable std::atomic<uint32_t> uses{1};
    };
    const Counted *text_ = nullptr; // null for the empty text
};

} // namespace ompcollect::report
