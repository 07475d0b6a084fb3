#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of score.py: what it takes for right, and what not."""
import unittest

import score

TRUTH = {"causes": ["imbalance", "graded-imbalance"], "place": "uneven", "line": 13, "gain": 30.0}
OTHER = {"causes": ["serial-part"], "place": "setup", "line": 0, "gain": 30.0}


def finding(cause="imbalance", place="uneven made.c:13", share=0.3, caller="", at_most=False):
    return {"cause": cause, "place": place, "share": share, "places": [{"called_by": caller}],
            "at_most": at_most}


class Judge(unittest.TestCase):
    def test_takes_what_is_right(self):
        self.assertEqual(score.judge([finding()], [TRUTH]), (True, True, True))
        self.assertEqual(score.judge([finding(cause="graded-imbalance")], [TRUTH]), (True, True, True))
        self.assertEqual(score.judge([finding(share=0.345)], [TRUTH]), (True, True, True))

    def test_finds_each_part_wrong(self):
        self.assertEqual(score.judge([finding(cause="serial-part")], [TRUTH])[0], False)
        self.assertEqual(score.judge([finding(place="even made.c:13")], [TRUTH])[1], False)
        self.assertEqual(score.judge([finding(place="uneven made.c:20")], [TRUTH])[1], False)
        self.assertEqual(score.judge([finding(share=0.35)], [TRUTH])[2], False)
        self.assertEqual(score.judge([], [TRUTH]), (False, False, False))

    def test_takes_what_calls_a_function_but_not_a_region(self):
        called = finding("serial-part", "read made.c:90", caller="setup made.c:3")
        self.assertEqual(score.judge([called], [OTHER]), (True, True, True))
        self.assertEqual(score.judge([finding("serial-part", "read made.c:90")], [OTHER])[1], False)
        other = finding(place="even made.c:13", caller="uneven made.c:13")
        self.assertEqual(score.judge([other], [TRUTH])[1], False)

    def test_takes_a_pair_in_any_order_but_whole(self):
        pair = [finding("serial-part", "setup made.c:3"), finding()]
        self.assertEqual(score.judge(pair, [TRUTH, OTHER]), (True, True, True))
        self.assertEqual(score.judge(pair[::-1], [TRUTH, OTHER]), (True, True, True))
        self.assertEqual(score.judge(pair[:1], [TRUTH, OTHER]), (False, False, False))
        self.assertEqual(score.judge([pair[0], pair[0]], [TRUTH, OTHER]), (False, False, False))

    def test_of_a_healthy_one_nothing_large_is_said(self):
        self.assertEqual(score.judge([], []), (True, True, True))
        self.assertEqual(score.judge([finding(share=0.04)], []), (True, True, True))
        self.assertEqual(score.judge([finding(share=0.06)], []), (False, False, False))

    def test_on_a_shared_machine_a_gain_is_a_bound_and_a_cause_may_be_silent(self):
        self.assertEqual(score.judge([finding(share=0.5, at_most=True)], [TRUTH], True), (True, True, True))
        self.assertEqual(score.judge([finding(share=0.25, at_most=True)], [TRUTH], True)[2], False)
        self.assertEqual(score.judge([finding(cause="serial-part")], [TRUTH], True)[0], False)
        self.assertEqual(score.judge([], [TRUTH], True), (True, True, True))
        self.assertEqual(score.judge([finding(share=0.06)], [], True)[0], False)
        also = {**OTHER, "also": "imbalance"}
        self.assertEqual(score.judge([finding(place="setup")], [also])[0], False)
        self.assertEqual(score.judge([finding(place="setup")], [also], True)[0], True)

    def test_most_of_three_runs_are_two(self):
        self.assertIsNone(score.most([], 3))
        self.assertIsNone(score.most([True], 3))
        self.assertIsNone(score.most([True, False], 3))
        self.assertTrue(score.most([True, False, True], 3))
        self.assertIs(score.most([False, False], 3), False)
        self.assertIs(score.most([True, False], 2), False)
        self.assertTrue(score.most([True], 1))

    def test_a_program_without_a_truth_is_an_error(self):
        self.assertEqual(score.truths_of("truth healthy\n"), [])
        with self.assertRaises(ValueError):
            score.truths_of("")


if __name__ == "__main__":
    unittest.main()
