#!/usr/bin/env python3
"""Trains the same models on the same tables with `gp fit` and with GPflow (SciPy's L-BFGS-B), in turn.

Same objective: kernel, starting values, inducing points and standardised columns are shared, and the values at the
start agree to 1e-4 per row, or the table is refused. Run it with the interpreter of an environment that has
`requirements.txt`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

#: Tables of `regression`, and the number of inducing points; none is exact regression.
TABLES = {
    "snelson": None,
    "boston": None,
    "yacht": None,
    "energy": None,
    "concrete": None,
    "wine_red": 100,
    "abalone": 100,
    "power": 100,
    "kin8nm": 200,
    "kin40k_train": 200,
}
#: Above and below the table of a file.
HEAD = """# Training beside GPflow

Made by the [script](../../xtask/bench/peers/README.md#training), which says what is compared.

"""
NOTE = """
"Impossible" is a bound that no density reaches: rounding made it, and the optimiser followed it.
"""
SEED = 1
#: Noise variance at the start, in units of the standardised target.
NOISE = 0.1
#: Most iterations of either.
ITERATIONS = 500
#: An optimum is reached this many nats below the better of the two ends.
NATS = 0.1
#: Largest difference of objectives at the start, per row.
SAME = 1e-4
#: Log marginal likelihoods per row are below this: noise variances of GPflow are at least 1e-6, which gives 6.
POSSIBLE = 10.0
#: What GPflow adds to the diagonal of covariances while objectives are compared; its default, 1e-6, moves them by up to
#: 5e-4 per row where inducing points are close together. It trains with the default.
JITTER = 1e-10


def split(data, name):
    """Standardised training and test rows of a table: a fifth is tested."""
    columns = np.genfromtxt(data / "regression" / f"{name}.csv", delimiter=",", skip_header=1)
    order = np.random.default_rng(SEED).permutation(len(columns))
    test, train = columns[order[: len(order) // 5]], columns[order[len(order) // 5 :]]
    mean, spread = train.mean(0), train.std(0)
    spread[spread == 0.0] = 1.0
    return (train - mean) / spread, (test - mean) / spread


def inducing(x, count):
    """Inducing points: distinct training rows, drawn."""
    distinct = np.unique(x, axis=0)
    return distinct[np.random.default_rng(SEED).permutation(len(distinct))[:count]]


def save(path, columns):
    """Table of numbers, all digits."""
    header = ",".join(f"x{k}" for k in range(columns.shape[1]))
    np.savetxt(path, columns, fmt="%.17g", delimiter=",", header=header, comments="")


def possible(values, rows):
    """Values up to the first that no density reaches, which rounding made."""
    wrong = [k for k, value in enumerate(values) if not value < POSSIBLE * rows]
    return values[: wrong[0]] if wrong else values


def first_within(values, best):
    """Iterations until a value is within NATS of the best; None if never."""
    reached = [k for k, value in enumerate(values) if value >= best - NATS]
    return reached[0] if reached else None


def ours(program, name, data, threads, folder):
    """Training by `gp fit`: its values, and seconds from the table to the model file."""
    train, test = split(data, name)
    dim, count = train.shape[1] - 1, TABLES[name]
    save(folder / "train.csv", train)
    save(folder / "test.csv", test)
    line = [program, "fit", folder / "train.csv", "--target", f"x{dim}", "--standardize", "none"]
    line += ["--kernel", f"1 * rbf(lengthscale={np.sqrt(dim):.17g}, ard=true)"]
    line += ["--likelihood", f"gaussian(variance={NOISE})"]
    line += ["--parameters", "known", "--iterations", ITERATIONS, "--threads", threads, "--quiet", "--json", "--force"]
    line += ["--trace", folder / "trace.jsonl", "--output", folder / "model.gp"]
    if count is None:
        line += ["--method", "exact"]
    else:
        save(folder / "z.csv", inducing(train[:, :dim], count))
        line += ["--method", "vfe", "--inducing-file", folder / "z.csv", "--fix", "inducing"]
    began = time.perf_counter()
    done = subprocess.run([str(word) for word in line], stdout=subprocess.PIPE, check=True, text=True)
    seconds = time.perf_counter() - began
    summary = json.loads(done.stdout)
    trace = [json.loads(each) for each in (folder / "trace.jsonl").read_text().splitlines()]
    values = [each.get("log_posterior", each.get("objective")) for each in trace]
    evaluate = [program, "eval", folder / "model.gp", folder / "test.csv", "--json"]
    scores = json.loads(subprocess.run([str(word) for word in evaluate], stdout=subprocess.PIPE, check=True, text=True).stdout)
    return {
        "values": values,
        "seconds": seconds,
        "nlpd": scores["scores"]["gp"]["nlpd"],
        "ended": summary["reason"],
    }


def gpflow_model(gpflow, rows, name):
    """Model of a table with the shared starting values."""
    dim, count = rows[0].shape[1], TABLES[name]
    kernel = gpflow.kernels.SquaredExponential(variance=1.0, lengthscales=np.full(dim, np.sqrt(dim)))
    if count is None:
        return gpflow.models.GPR(rows, kernel, noise_variance=NOISE)
    model = gpflow.models.SGPR(rows, kernel, inducing(rows[0], count), noise_variance=NOISE)
    gpflow.set_trainable(model.inducing_variable, False)
    return model


def gpflow_start(gpflow, rows, name):
    """Objective at the starting values, with hardly any jitter."""
    with gpflow.config.as_context(gpflow.config.Config(jitter=JITTER)):
        return -float(gpflow_model(gpflow, rows, name).training_loss())


def gpflow_training(name, data):
    """Training by GPflow and SciPy; seconds are those of building and minimising, libraries loaded."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import gpflow
    import tensorflow as tf

    threads = int(os.environ["OMP_NUM_THREADS"])
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    train, test = split(data, name)
    dim = train.shape[1] - 1
    x, y = train[:, :dim], train[:, dim:]
    start = gpflow_start(gpflow, (x, y), name)
    began = time.perf_counter()
    model = gpflow_model(gpflow, (x, y), name)
    compiled = tf.function(model.training_loss)
    evaluated = []

    def loss():
        evaluated.append(compiled())
        return evaluated[-1]

    # A line search ends at the point that it evaluated last.
    values = []
    result = gpflow.optimizers.Scipy().minimize(
        loss,
        model.trainable_variables,
        compile=False,
        options={"maxiter": ITERATIONS},
        step_callback=lambda *_: values.append(-float(evaluated[-1])),
    )
    seconds = time.perf_counter() - began
    values.insert(0, -float(evaluated[0]))
    density = -float(tf.reduce_mean(model.predict_log_density((test[:, :dim], test[:, dim:]))))
    version = f"GPflow {gpflow.__version__}"
    return {
        "start": start,
        "values": values,
        "evaluations": int(result.nfev),
        "seconds": seconds,
        "nlpd": density,
        "ended": str(result.message),
        "version": version,
    }


def theirs(name, data, threads):
    """GPflow in a process of its own."""
    environment = os.environ | {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    line = [sys.executable, __file__, "--peer", name, "--data", str(data)]
    done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(program, name, data, rounds):
    """Both programs in turn on one thread and on all; the least seconds count."""
    found = {"name": name}
    cores = len(os.sched_getaffinity(0))
    for threads in (1, cores):
        best = {}
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                runs = {"gpflow": theirs(name, data, threads), "ours": ours(program, name, data, threads, Path(folder))}
            for who, run in runs.items():
                if who not in best or run["seconds"] < best[who]["seconds"]:
                    best[who] = run
        found["one" if threads == 1 else "all"] = best
    rows = len(split(data, name)[0])
    start = [found["one"]["ours"]["values"][0], found["one"]["gpflow"]["start"]]
    if abs(start[0] - start[1]) > SAME * rows:
        raise SystemExit(f"{name}: not the same objective at the start: {start[0]} and {start[1]}")
    return summarise(found | {"rows": rows})


def summarise(found):
    """Iterations and ends of both, from their values on one thread."""
    sound = {who: possible(found["one"][who]["values"], found["rows"]) for who in ("ours", "gpflow")}
    best = max(max(values) for values in sound.values())
    for who, values in sound.items():
        run = found["one"][who]
        run["iterations"] = len(run["values"]) - 1
        run["within"] = first_within(values, best)
        run["end"] = values[-1] if len(values) == len(run["values"]) else None
    return found | {"best": best}


def markdown(found):
    """Table of all."""
    head = "| table | rows | method | nats below the better end: ours, GPflow | iterations to 0.1 nats: ours, GPflow | iterations in all: ours, GPflow | evaluations of GPflow | seconds, one thread: ours, GPflow | ratio | all threads: ours, GPflow | ratio | nlpd: ours, GPflow |"
    lines = [head, "|" + "---|" * 12]
    for each in found:
        one, everything = each["one"], each["all"]
        pair = lambda key, form, of=one: ", ".join("–" if of[who][key] is None else form.format(of[who][key]) for who in ("ours", "gpflow"))
        ratio = lambda of: f"**{of['gpflow']['seconds'] / of['ours']['seconds']:.1f}**"
        ends = (one[who]["end"] for who in ("ours", "gpflow"))
        below = ", ".join("impossible" if end is None else f"{each['best'] - end:.2f}" for end in ends)
        method = "exact" if TABLES[each["name"]] is None else f"VFE, M = {TABLES[each['name']]}"
        cells = [each["name"], each["rows"], method, below, pair("within", "{}"), pair("iterations", "{}")]
        cells += [one["gpflow"]["evaluations"]]
        cells += [pair("seconds", "{:.2f}"), ratio(one), pair("seconds", "{:.2f}", everything), ratio(everything), pair("nlpd", "{:.4f}")]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gp", metavar="PROGRAM", help="gp, built with --release")
    parser.add_argument("--data", type=Path, required=True, help="folder of data sets")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(TABLES), metavar="TABLES")
    parser.add_argument("--rounds", type=int, default=2, help="how often both run in turn")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table into this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found into this file")
    parser.add_argument("--peer", metavar="TABLE", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    given = arguments()
    if given.peer:
        print(json.dumps(gpflow_training(given.peer, given.data)))
        return
    found = []
    for name in given.only:
        found.append(compare(given.gp, name, given.data, given.rounds))
        print(markdown(found[-1:]).splitlines()[-1], flush=True)
    if given.markdown:
        given.markdown.write_text(HEAD + markdown(found) + NOTE)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
