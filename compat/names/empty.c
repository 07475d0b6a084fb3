/* SPDX-License-Identifier: Apache-2.0
 * What is here is brought by the libraries that this one needs. */
typedef int ocb_nothing;
