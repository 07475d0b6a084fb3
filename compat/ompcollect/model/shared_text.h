// SPDX-License-Identifier: Apache-2.0
//
// A text that many rows have in common, as the path of a module: copies share its bytes.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace ompcollect::report {

class SharedText {
  public:
    SharedText() = default;
    SharedText(std::string text) // NOLINT(google-explicit-constructor): a text like any other
        : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
    SharedText(const char *text) // NOLINT(google-explicit-constructor)
        : SharedText(std::string(text)) {}

    [[nodiscard]] const std::string &str() const {
        static const std::string kEmpty;
        return text_ ? *text_ : kEmpty;
    }
    operator const std::string &() const { // NOLINT(google-explicit-constructor)
        return str();
    }
    [[nodiscard]] bool empty() const { return !text_; }

    friend bool operator==(const SharedText &a, const SharedText &b) {
        return a.text_ == b.text_ || a.str() == b.str();
    }

  private:
    std::shared_ptr<const std::string> text_; // null for the empty text
};

} // namespace ompcollect::report
