"""Plots what an append and a page cost as a database grows: growth.json, as `make growth` keeps it, to a PNG."""

import json
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def main(measured: str, picture: str) -> None:
    with open(measured, encoding="utf-8") as file:
        sizes = json.load(file)["sizes"]
    records = [size["records"] for size in sizes]
    # A rate is shown as its cost, so that of all lines lower is better.
    lines = [
        ("one append, one client, p50", [size["one_append_us"] for size in sizes]),
        ("an append among 64 connections", [[1e6 / rate for rate in size["appends_per_s"]] for size in sizes]),
        ("a page of 50, p50", [size["page_us"] for size in sizes]),
    ]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name, rounds in lines:
        middle = [statistics.median(values) for values in rounds]
        below = [mid - min(values) for mid, values in zip(middle, rounds)]
        above = [max(values) - mid for mid, values in zip(middle, rounds)]
        axes.errorbar(records, middle, yerr=[below, above], marker="o", capsize=4, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("records stored before, in up to 10,000 sessions")
    axes.set_ylabel("µs: median, least and most of the rounds")
    axes.set_title("What an append and a page cost as a database grows")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend(loc="center right")
    figure.savefig(picture, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
