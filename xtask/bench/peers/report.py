"""Report in Markdown."""

from case import AS_IT_COMES

THREADS = ("one", "all")


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def least_of(times, wanted):
    """Shortest time among some variants, with its name."""
    return min(((seconds, way) for way, seconds in times.items() if wanted(way)), default=None)


def comes(times):
    """Cell with the time of the default variant."""
    return milliseconds(times[AS_IT_COMES]) if AS_IT_COMES in times else "–"


def tuned(times):
    """Cell with the shortest time of tuned variants."""
    found = least_of(times, lambda way: way != AS_IT_COMES)
    return f"{milliseconds(found[0])} ({found[1]})" if found else "–"


def same_work(peer):
    return all(check["agrees"] for check in peer["checks"])


def agreement(peer):
    """Cell with the difference of values."""
    cells = []
    for check in peer["checks"]:
        error = "failed" if check["error"] is None else f"{check['error']:.0e}"
        wanted = "" if check["agrees"] else f", not below {check['tolerance']:.0e}"
        cells.append(f"{check['what']} {error}{wanted}")
    return "; ".join(cells)


def ratio(row, peer, threads):
    """Time of a peer's fastest variant, relative to ours."""
    best = least_of(peer["times"].get(threads, {}), lambda _: True)
    return best[0] / row["ours"][threads] if best and threads in row["ours"] else None


def peer_line(name, row, peer):
    """Line of the table of times."""
    cells = [f"| {name} | {row['what']} | {peer['version']}"]
    if not same_work(peer):
        return cells[0] + " | not the same work" + " |" * 7
    for threads in THREADS:
        times = peer["times"].get(threads, {})
        ours = milliseconds(row["ours"][threads]) if threads in row["ours"] else "–"
        by = ratio(row, peer, threads)
        cells += [comes(times), tuned(times), ours, "–" if by is None else f"**{by:.2f}**"]
    return " | ".join(cells) + " |"


def best_line(name, row):
    """Line of the summary: the fastest peer compared with ours."""
    cells = [f"| {name} | {row['what']}"]
    for threads in THREADS:
        ratios = [(ratio(row, peer, threads), peer["version"]) for peer in row["peers"].values() if same_work(peer)]
        ratios = [found for found in ratios if found[0] is not None]
        cells.append(f"{min(ratios)[0]:.2f} ({min(ratios)[1]})" if ratios else "–")
    return " | ".join(cells) + " |"


def values_table(found):
    lines = ["| row | peer | largest relative difference of values |", "|---|---|---|"]
    for name, row in found["rows"].items():
        lines += [f"| {name} | {peer['version']} | {agreement(peer)} |" for peer in row["peers"].values()]
    return lines


def times_table(found):
    head = "| row | work | peer"
    rule = "|---|---|---"
    for threads in ("one thread", "all threads"):
        head += f" | as it comes, {threads} | tuned | ours | peer / ours"
        rule += "|---" * 4
    lines = [head + " |", rule + "|"]
    for name, row in found["rows"].items():
        lines += [peer_line(name, row, peer) for peer in row["peers"].values()]
    return lines


def best_table(found):
    lines = ["| row | work | best peer / ours, one thread | all threads |", "|---|---|---|---|"]
    return lines + [best_line(name, row) for name, row in found["rows"].items()]


def notes(found):
    """Further values and failures below the tables."""
    lines = []
    for name, row in found["rows"].items():
        for peer in row["peers"].values():
            lines += [f"- {name}, {peer['version']}: {what} {value}." for what, value in peer["notes"].items()]
            lines += [f"- {name}, {peer['version']}, {way}: failed, {why}." for way, why in peer["errors"].items()]
    return lines


def markdown(found, with_times):
    """Complete page."""
    parts = [["## Values"], values_table(found)]
    if with_times:
        head = f"{found['machine']}. Times are in milliseconds, the shortest of several runs, with peers and ours in turn."
        parts = [[head], ["## Ratios"], best_table(found), ["## Times"], times_table(found), *parts]
    parts.append(notes(found))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"
