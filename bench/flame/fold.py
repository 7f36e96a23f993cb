"""Folds what `perf script` prints into one line a stack, tells where the time goes, and draws the flame graph."""

import argparse
import collections
import html
import re
import sys

WIDTH = 1600
ROW = 17
LEAST = 0.6
SHOWN = 25
HASH = re.compile(r"::h[0-9a-f]{16}$")


def stacks(lines):
    """(stack from the outside in, 1) of each sample."""
    name, frames = None, []
    for line in lines:
        if not line.strip():
            if name and frames:
                yield tuple([name, *reversed(frames)])
            name, frames = None, []
        elif line[0].isspace() and name is not None:
            parts = line.split(maxsplit=1)
            symbol = parts[1].strip() if len(parts) > 1 else "[unknown]"
            frames.append(HASH.sub("", symbol))
        else:
            name = line.strip()
    if name and frames:
        yield tuple([name, *reversed(frames)])


def told(folded):
    total = sum(folded.values())
    own, within = collections.Counter(), collections.Counter()
    for stack, count in folded.items():
        own[stack[-1]] += count
        for frame in set(stack[1:]):
            within[frame] += count
    for title, counter in (("itself", own), ("with what it calls", within)):
        print(f"\n{total} samples; {title}:")
        for frame, count in counter.most_common(SHOWN):
            print(f"{count / total:6.1%}  {frame[:150]}")


def tree(folded):
    root = {"count": 0, "below": {}}
    for stack, count in folded.items():
        root["count"] += count
        node = root
        for frame in stack:
            node = node["below"].setdefault(frame, {"count": 0, "below": {}})
            node["count"] += count
    return root


def boxes(node, x, level, scale):
    for frame, below in sorted(node["below"].items()):
        width = below["count"] * scale
        if width >= LEAST:
            yield x, level, width, frame, below["count"]
            yield from boxes(below, x, level + 1, scale)
        x += width


def draw(folded, path):
    root = tree(folded)
    all_boxes = list(boxes(root, 0, 0, WIDTH / root["count"]))
    height = ROW * (max(level for _, level, *_ in all_boxes) + 1)
    with open(path, "w", encoding="utf-8") as out:
        out.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="monospace" font-size="11">\n'
        )
        for x, level, width, frame, count in all_boxes:
            y = height - ROW * (level + 1)
            text = html.escape(frame)
            shown = html.escape(frame[: int(width / 7)]) if width > 30 else ""
            out.write(
                f'<g><title>{text}: {count / root["count"]:.1%}</title>'
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="hsl({hash(frame) % 50}, 80%, 65%)"/>'
                f'<text x="{x + 3:.1f}" y="{y + 12}">{shown}</text></g>\n'
            )
        out.write("</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folded", required=True)
    parser.add_argument("--svg", required=True)
    options = parser.parse_args()
    folded = collections.Counter(stacks(sys.stdin))
    if not folded:
        sys.exit("perf gave no samples")
    with open(options.folded, "w", encoding="utf-8") as out:
        for stack, count in folded.most_common():
            out.write(f"{';'.join(frame.replace(';', ':') for frame in stack)} {count}\n")
    told(folded)
    draw(folded, options.svg)


if __name__ == "__main__":
    main()
