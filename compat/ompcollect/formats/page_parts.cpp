// SPDX-License-Identifier: Apache-2.0
#include "page_parts.h"

namespace ompcollect::report {

void write_page(std::string_view page, const std::function<void(std::string_view name)> &write,
                std::ostream &out) {
    while (!page.empty()) {
        const size_t begin = page.find('@');
        out << page.substr(0, begin);
        if (begin == std::string_view::npos) {
            break;
        }
        const size_t end = page.find('@', begin + 1);
        write(page.substr(begin + 1, end - begin - 1));
        page.remove_prefix(end + 1);
    }
}

InElement::int_type InElement::overflow(int_type one) {
    const char character = traits_type::to_char_type(one);
    xsputn(&character, 1);
    return one;
}

std::streamsize InElement::xsputn(const char *text, std::streamsize size) {
    std::string_view left(text, static_cast<size_t>(size));
    for (size_t at = 0; (at = left.find('<')) != std::string_view::npos;) {
        to_ << left.substr(0, at) << "\\u003c";
        left.remove_prefix(at + 1);
    }
    to_ << left;
    return size;
}

} // namespace ompcollect::report
