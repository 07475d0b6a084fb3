// SPDX-License-Identifier: Apache-2.0
// The program that test_headers.h is compiled for; it has no test of its own.
