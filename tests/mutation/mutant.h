// SPDX-License-Identifier: Apache-2.0
// What a file with mutants (mutants.py) is compiled with. All mutants of a file are in one object:
// OCB_MUTANT chooses the one that is active, so that a mutant costs a run and no compilation. The
// operators are written infix, a <Compare<7, ...>> b, and so keep their precedence.
#pragma once

#include <cstdlib>
#include <type_traits>

namespace ocb_mutation {

inline bool is(int number) {
    static const int kActive = [] {
        const char *text = std::getenv("OCB_MUTANT");
        return text != nullptr ? std::atoi(text) : 0;
    }();
    return kActive == number;
}

// One more than the number; of a share, a tenth more.
template <int N, class T> T number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return is(N) ? (value == 0 ? T(0.1) : value * T(1.1)) : value;
    } else {
        return is(N) ? T(value + 1) : value;
    }
}

// A limit by a factor of two: up, and down.
template <int N, class T> T moved(T value) {
    return is(N) ? value * 2 : is(N + 1) ? value / 2 : value;
}

template <int N> bool truth(bool value) {
    return is(N) != value;
}

template <int N> struct Less {};
template <int N> struct Greater {};
template <int N> struct LessEqual {};
template <int N> struct GreaterEqual {};
template <int N> struct Equal {};
template <int N> struct Unequal {};
template <int N> struct Plus {};
template <int N> struct Minus {};

template <class Operation, class Left> struct Half { const Left &left; };

#define OCB_HALF(OPERATION, SIGN)                                                                  \
    template <int N, class Left>                                                                   \
    Half<OPERATION<N>, Left> operator SIGN(const Left &left, OPERATION<N>) {                       \
        return {left};                                                                             \
    }
#define OCB_COMPARISON(OPERATION, SIGN, OTHER)                                                     \
    OCB_HALF(OPERATION, SIGN)                                                                      \
    template <int N, class Left, class Right>                                                      \
    bool operator SIGN(Half<OPERATION<N>, Left> half, const Right &right) {                        \
        return is(N) ? half.left OTHER right : half.left SIGN right;                               \
    }
OCB_COMPARISON(Less, <, <=)
OCB_COMPARISON(Greater, >, >=)
OCB_COMPARISON(LessEqual, <=, <)
OCB_COMPARISON(GreaterEqual, >=, >)
#define OCB_EQUALITY(OPERATION, SIGN)                                                              \
    OCB_HALF(OPERATION, SIGN)                                                                      \
    template <int N, class Left, class Right>                                                      \
    bool operator SIGN(Half<OPERATION<N>, Left> half, const Right &right) {                        \
        return is(N) != static_cast<bool>(half.left SIGN right);                                   \
    }
OCB_EQUALITY(Equal, ==)
OCB_EQUALITY(Unequal, !=)
// Only of numbers: another type does not compile, and the mutant is left out.
#define OCB_SUM(OPERATION, SIGN, OTHER)                                                            \
    OCB_HALF(OPERATION, SIGN)                                                                      \
    template <int N, class Left, class Right>                                                      \
    auto operator SIGN(Half<OPERATION<N>, Left> half, const Right &right)                          \
        ->std::enable_if_t<std::is_arithmetic_v<Right>, decltype(half.left SIGN right)> {          \
        return is(N) ? half.left OTHER right : half.left SIGN right;                               \
    }
OCB_SUM(Plus, +, -)
OCB_SUM(Minus, -, +)

} // namespace ocb_mutation
