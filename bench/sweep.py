#!/usr/bin/env python3
"""Sweeps the concurrency of a plan with rankd --bench and draws throughput and latency.

usage: sweep.py RANKD --plan_name NAME [--plan_dir DIR] [--requests N] [--rounds N] [--max C]
                [--json FILE] [--csv FILE] [--svg FILE] [-- RANKD FLAGS...]
       sweep.py --from FILE [--csv FILE] [--svg FILE]      (draws what --json wrote before)

Concurrency goes 1, 2, 4 … 128 (--max). Of each point the best of a few rounds by throughput counts,
for what others do on the machine only ever makes it slower. Without --json the points go to stdout.

The knee is where more concurrency stops paying: after it latency grows and throughput hardly does.
It is found as Kneedle does (V. Satopää, J. Albrecht, D. Irwin, B. Raghavan: "Finding a 'Kneedle' in a
Haystack: Detecting Knee Points in System Behavior", ICDCS Workshops 2011), on the axes as they are
drawn: throughput and the logarithm of concurrency are scaled to 0 … 1, and the knee is the point that
lies farthest above the diagonal. There is none where no point lies 0.1 above it: throughput then grows
with concurrency to the end, or not at all.
"""
import argparse
import csv
import json
import math
import subprocess
import sys
from xml.sax.saxutils import escape

COLUMNS = ["concurrency", "throughput_rps", "p50_us", "p99_us", "errors"]
SENSITIVITY = 0.1
FLAT = 1.05  # throughput that varies by less is noise, and has no knee


def find_knee(points):
    """The concurrency at the knee, or None."""
    xs = [math.log(point["concurrency"]) for point in points]
    ys = [point["throughput_rps"] for point in points]
    if len(points) < 3 or max(ys) < min(ys) * FLAT:
        return None
    heights = [(y - min(ys)) / (max(ys) - min(ys)) - (x - xs[0]) / (xs[-1] - xs[0])
               for x, y in zip(xs, ys)]
    best = max(range(len(points)), key=lambda i: heights[i])
    return points[best]["concurrency"] if heights[best] >= SENSITIVITY else None


def concurrencies(highest):
    return [1 << bit for bit in range(highest.bit_length()) if 1 << bit <= highest]


def measure(command, concurrency):
    done = subprocess.run([*command, "--bench_concurrency", str(concurrency)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    return json.loads(done.stdout)


def sweep(options):
    command = [options.rankd, "--plan_name", options.plan_name, "--bench", str(options.requests),
               *(["--plan_dir", options.plan_dir] if options.plan_dir else []), *options.flags]
    points = []
    for concurrency in concurrencies(options.max):
        results = [measure(command, concurrency) for _ in range(options.rounds)]
        points.append(max(results, key=lambda result: result["throughput_rps"]))
    return {"plan": options.plan_name, "knee": find_knee(points), "points": points}


# ---- drawing -------------------------------------------------------------------------------------

WIDTH, PANEL_HEIGHT = 760, 250
LEFT, RIGHT, TOP, GAP, BOTTOM = 84, 96, 56, 34, 58
INK, GRID, BLUE, ORANGE, RED, GREY = "#222", "#e4e4e4", "#1f6fb2", "#d9822b", "#b3261e", "#666"


def number(value):
    """35400 as "35.4k"."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def duration(us):
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3g} {unit}"
    return f"{us:.3g} µs"


def linear_ticks(highest):
    """0 and about five round steps that end at or above `highest`."""
    rough = highest / 5
    size = 10 ** math.floor(math.log10(rough))
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= rough * 0.999)
    return [step * i for i in range(math.ceil(highest / step - 1e-9) + 1)]


def decade_ticks(lowest, highest):
    """Powers of ten around what is drawn; 1, 2, 5 where that would be too few."""
    first, last = math.floor(math.log10(lowest)), math.ceil(math.log10(highest))
    last = max(last, first + 1)
    factors = (1, 2, 5) if last - first < 3 else (1,)
    ticks = [factor * 10.0 ** decade for decade in range(first, last) for factor in factors]
    return [*ticks, 10.0 ** last]


class Panel:
    """One diagram: a logarithmic axis of concurrency, and an axis of its own upwards."""

    def __init__(self, xs, top, ticks, logarithmic, label, tick_text):
        self.xs, self.top, self.ticks = xs, top, ticks
        self.scale = math.log if logarithmic else float
        self.label, self.tick_text = label, tick_text

    def x(self, concurrency):
        span = math.log(self.xs[-1] / self.xs[0]) or 1
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(concurrency / self.xs[0]) / span

    def y(self, value):
        low, high = self.scale(self.ticks[0]), self.scale(self.ticks[-1])
        return self.top + PANEL_HEIGHT * (1 - (self.scale(value) - low) / (high - low))

    def frame(self, with_x_labels):
        bottom = self.top + PANEL_HEIGHT
        for tick in self.ticks:
            y = self.y(tick)
            yield line(LEFT, y, WIDTH - RIGHT, y, GRID)
            yield text(LEFT - 8, y + 4, self.tick_text(tick), "end")
        for x in self.xs:
            yield line(self.x(x), self.top, self.x(x), bottom, GRID)
            if with_x_labels:
                yield text(self.x(x), bottom + 18, str(x), "middle")
        yield line(LEFT, bottom, WIDTH - RIGHT, bottom, INK)
        yield line(LEFT, self.top, LEFT, bottom, INK)
        middle = self.top + PANEL_HEIGHT / 2
        yield text(18, middle, self.label, "middle", f' transform="rotate(-90 18 {middle:.1f})"')

    def curve(self, values, colour, name, shift=0.0):
        """`shift` moves the name at its end down, in pixels."""
        places = [(self.x(x), self.y(value)) for x, value in zip(self.xs, values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>'
        yield text(places[-1][0] + 10, places[-1][1] + 4 + shift, name, "start", f' fill="{colour}"')


def line(x1, y1, x2, y2, colour, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def text(x, y, words, anchor, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def latency_curves(panel, p50s, p99s):
    """With their names, where they end, a line apart."""
    overlap = max(14 - (panel.y(p50s[-1]) - panel.y(p99s[-1])), 0) / 2
    return [*panel.curve(p50s, BLUE, "p50", overlap), *panel.curve(p99s, ORANGE, "p99", -overlap)]


def knee_marks(throughput, latency, point):
    x = throughput.x(point["concurrency"])
    bottom = latency.top + PANEL_HEIGHT
    yield line(x, throughput.top, x, bottom, RED, ' stroke-dasharray="5 4"')
    y = throughput.y(point["throughput_rps"])
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="none" stroke="{RED}" stroke-width="2"/>'
    at_right = x > (LEFT + WIDTH - RIGHT) / 2
    words = (f"knee: {point['concurrency']} in flight, {number(point['throughput_rps'])}/s, "
             f"p99 {duration(point['p99_us'])}")
    yield text(x + (-8 if at_right else 8), bottom - 10, words, "end" if at_right else "start",
               f' fill="{RED}" font-weight="bold"')


def draw(document):
    """The SVG of a sweep. Points without latencies (nothing succeeded) are left out."""
    points = [point for point in document["points"] if point["p50_us"] is not None]
    if not points:
        raise ValueError("there is no point with latencies to draw")
    xs = [point["concurrency"] for point in points]
    rates = [point["throughput_rps"] for point in points]
    p50s, p99s = ([point[name] for point in points] for name in ("p50_us", "p99_us"))
    throughput = Panel(xs, TOP, linear_ticks(max(rates)), False, "throughput (requests/s)", number)
    latency = Panel(xs, TOP + PANEL_HEIGHT + GAP, decade_ticks(min(p50s), max(p99s)), True,
                    "latency (logarithmic)", duration)
    height = latency.top + PANEL_HEIGHT + BOTTOM
    title = f"{document['plan']}: throughput and latency by concurrency"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        text(LEFT, 30, title, "start", ' font-size="16" font-weight="bold"'),
        *throughput.frame(False), *throughput.curve(rates, BLUE, "throughput"),
        *latency.frame(True), *latency_curves(latency, p50s, p99s),
        text((LEFT + WIDTH - RIGHT) / 2, height - 16, "concurrency: requests in flight (logarithmic)",
             "middle"),
    ]
    knees = [point for point in points if point["concurrency"] == document["knee"]]
    if knees:
        parts += knee_marks(throughput, latency, knees[0])
    else:
        parts.append(text(WIDTH - RIGHT, 30, "no knee", "end", f' fill="{GREY}"'))
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("rankd", nargs="?")
    parser.add_argument("--plan_name")
    parser.add_argument("--plan_dir")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max", type=int, default=128)
    parser.add_argument("--from", dest="recorded")
    parser.add_argument("--json")
    parser.add_argument("--csv")
    parser.add_argument("--svg")
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    options.flags = arguments[cut + 1:]
    if options.recorded:
        with open(options.recorded, encoding="utf-8") as file:
            document = json.load(file)
    elif options.rankd and options.plan_name:
        if min(options.requests, options.rounds, options.max) < 1:
            parser.error("--requests, --rounds and --max must be at least 1")
        document = sweep(options)
    else:
        parser.error("give RANKD and --plan_name, or --from FILE")

    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.write("\n")
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            rows.writeheader()
            rows.writerows(document["points"])
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(draw(document))
    if not (options.json or options.csv or options.svg):
        json.dump(document, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
