# SPDX-License-Identifier: Apache-2.0
"""What docs/FORMATS.md's example uses of hatchet, for machines that have none of it (no package of
Debian does). from_literal() takes a list of trees: {"frame": {"name", "type"}, "metrics", "children"}.
"""
import pandas


class GraphFrame:
    def __init__(self, roots, rows, metrics):
        self.roots = roots  # (row, children) pairs
        self.dataframe = pandas.DataFrame(rows)
        self.exc_metrics = metrics
        self.inc_metrics = []

    @staticmethod
    def from_literal(trees):
        rows = []
        metrics = list(trees[0]["metrics"])

        def add(tree):
            if sorted(tree["metrics"]) != sorted(metrics) or "type" not in tree["frame"]:
                raise ValueError(f"not a literal of hatchet's: {tree['frame']}")
            rows.append({**tree["metrics"], "name": tree["frame"]["name"]})
            return len(rows) - 1, [add(child) for child in tree.get("children", [])]

        return GraphFrame([add(tree) for tree in trees], rows, metrics)

    def update_inclusive_columns(self):
        self.inc_metrics = [f"{metric} (inc)" for metric in self.exc_metrics]
        for metric in self.exc_metrics:
            column = self.dataframe[metric].astype(float).copy()

            def add_below(node, column=column):
                row, children = node
                column[row] += sum(add_below(child) for child in children)
                return column[row]

            for root in self.roots:
                add_below(root)
            self.dataframe[f"{metric} (inc)"] = column

    def tree(self, metric_column):
        if metric_column not in self.exc_metrics + self.inc_metrics:
            raise KeyError(metric_column)
        lines = []

        def add(node, depth):
            row, children = node
            values = self.dataframe.iloc[row]
            lines.append(f"{'  ' * depth}{values[metric_column]:.3f} {values['name']}")
            for child in children:
                add(child, depth + 1)

        for root in self.roots:
            add(root, 0)
        return "\n".join(lines)
