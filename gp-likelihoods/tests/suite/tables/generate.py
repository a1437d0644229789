"""Writes what the special functions are built from and what they are tested against, with 60 digits of mpmath.

    pip install mpmath
    python gp-likelihoods/tests/suite/tables/generate.py

Both files are committed; running this again must leave them as they are.
"""

from pathlib import Path
import mpmath as mp

mp.mp.dps = 60
CRATE = Path(__file__).resolve().parents[3]
ROOT_HALF = mp.sqrt(mp.mpf(1) / 2)


def erfcx(x):
    # erfc is lost to underflow in no precision of mpmath, so the product is safe.
    with mp.workdps(60 + int(x * x)):
        return mp.exp(x * x) * mp.erfc(x)


def normal_cdf(x):
    return mp.erfc(-x * ROOT_HALF) / 2


def log_normal_cdf(x):
    upper = normal_cdf(-x)
    return mp.log1p(-upper) if x > 0 else mp.log(normal_cdf(x))


def inverse_mills(x):
    return mp.npdf(x) / normal_cdf(x)


def log_difference(a, b):
    with mp.workdps(500):
        difference = normal_cdf(b) - normal_cdf(a)
        if a < 0 < b and difference > 0.5:
            return mp.log1p(-(normal_cdf(a) + normal_cdf(-b)))
        return mp.log(difference)


def log1p_exp(x):
    return mp.log1p(mp.exp(x))


def chebyshev(function, terms):
    """Coefficients c of Σ' c_k T_k by interpolation at 80 Chebyshev points."""
    n = 80
    angles = [mp.pi * (2 * j + 1) / (2 * n) for j in range(n)]
    values = [function(mp.cos(angle)) for angle in angles]
    return [2 * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles)) / n for k in range(terms)]


def scaled_erfcx(t):
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    if x > 20:  # the asymptotic series, good to 1e-24 there
        series = mp.fsum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12))
        return (1 + 2 * x) * series / (x * mp.sqrt(mp.pi))
    with mp.workdps(60 + int(x * x)):
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def constant(name, doc, values):
    body = "\n".join(f"    {float(v)!r}," for v in values)
    return f"/// {doc}\npub(super) const {name}: [f64; {len(values)}] = [\n{body}\n];\n"


def coefficients():
    root = mp.findroot(mp.digamma, 1.4616)
    high = float(root)
    low = float(root - mp.mpf(high))
    taylor = [mp.polygamma(k, root) / mp.factorial(k) for k in range(1, 25)]
    text = "//! Coefficients computed with 60 digits by `tests/suite/tables/generate.py`.\n"
    text += "\n"
    doc = "Chebyshev coefficients of (1 + 2x) exp(x²) erfc(x) in (x − 3.75)/(x + 3.75), the first one halved."
    series = chebyshev(scaled_erfcx, 30)
    text += constant("ERFCX", doc, [series[0] / 2] + series[1:])
    text += "\n/// The positive root of the digamma function, as a number and what it leaves.\n"
    text += f"pub(super) const DIGAMMA_ROOT: (f64, f64) = ({high!r}, {low!r});\n\n"
    text += constant("DIGAMMA_TAYLOR", "Taylor coefficients of digamma about its root, from the linear term on.", taylor)
    (CRATE / "src/special/coefficients.rs").write_text(text)


def gamma_density(shape):
    return lambda t: mp.exp((shape - 1) * mp.log(t) - t - mp.loggamma(shape)) if t > 0 else mp.mpf(0)


def beta_density(a, b):
    front = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
    return lambda t: mp.exp(front + (a - 1) * mp.log(t) + (b - 1) * mp.log(1 - t)) if 0 < t < 1 else mp.mpf(0)


def integral(density, low, high, shape):
    """Over the part of a gamma or beta distribution that counts, in pieces of a deviation or so."""
    mean, deviation = (shape, mp.sqrt(shape)) if not isinstance(shape, tuple) else shape
    low, high = max(low, mean - 60 * deviation, 0), min(high, mean + 60 * deviation)
    count = int((high - low) / deviation) + 2
    with mp.workdps(30):
        return mp.quad(density, [low + (high - low) * k / count for k in range(count + 1)])


def rows():
    grid = [mp.mpf(float(-40 + 0.31 * i)) for i in range(259)] + [mp.mpf(40)]
    near = [s * mp.mpf(float(x)) for x in (1e-12, 1e-6, 1e-3, 0.05) for s in (-1, 1)]
    for x in grid + near:
        yield "log_normal_cdf", x, mp.mpf(0), log_normal_cdf(x)
        yield "inverse_mills", x, mp.mpf(0), inverse_mills(x)
        yield "inverse_mills_excess", x, mp.mpf(0), inverse_mills(x) + x
        yield "log1p_exp", x, mp.mpf(0), log1p_exp(x)
        if x > 0:
            yield "erfcx", x, mp.mpf(0), erfcx(x)
    for a in [-38.5, -20.25, -6.5, -1.0, -0.125, 0.0, 0.3, 2.5, 9.0, 30.0]:
        for width in [1e-12, 1e-6, 1e-3, 0.04, 0.3, 0.9, 1.7, 5.0, 45.0]:
            b = mp.mpf(float(a + width))
            yield "log_normal_cdf_difference", mp.mpf(a), b, log_difference(mp.mpf(a), b)
    for x in [1e-8, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.2, 1.3, 1.46, 1.4616321449683623, 1.462, 1.6, 1.7, 1.999, 2.001,
              2.5, 3.7, 5.0, 9.99, 10.01, 25.5, 40.0, 1e3, 1e7]:
        x = mp.mpf(x)
        yield "ln_gamma", x, mp.mpf(0), mp.loggamma(x)
        yield "digamma", x, mp.mpf(0), mp.digamma(x)
        yield "trigamma", x, mp.mpf(0), mp.polygamma(1, x)
    for shape in [0.3, 1.0, 4.5, 40.0, 1000.0]:
        for ratio in [0.1, 0.7, 1.0, 1.4, 3.0]:
            x = mp.mpf(float(shape * ratio))
            shape = mp.mpf(shape)
            yield "gamma_lower", shape, x, mp.gammainc(shape, 0, x, regularized=True)
            yield "gamma_upper", shape, x, mp.gammainc(shape, x, mp.inf, regularized=True)
    for shape in [99.5, 100.5, 3e4, 1e6]:
        for deviations in [-12, -5, -1, -0.1, 0, 0.1, 1, 5, 12]:
            x = mp.mpf(float(shape + deviations * shape**0.5))
            shape = mp.mpf(shape)
            if x <= 0:
                continue
            yield "gamma_lower", shape, x, integral(gamma_density(shape), 0, x, shape)
            yield "gamma_upper", shape, x, integral(gamma_density(shape), x, mp.inf, shape)


def table():
    lines = ["function,a,b,value"]
    lines += [f"{name},{float(a)!r},{float(b)!r},{float(v)!r}" for name, a, b, v in rows()]
    for a, b in [(999.0, 1200.0), (1001.0, 5e4), (2e5, 3e5), (1e6, 2e3), (1.0, 1e6), (1e8, 3.0)]:
        a, b = mp.mpf(a), mp.mpf(b)
        mean, deviation = a / (a + b), mp.sqrt(a * b / (a + b + 1)) / (a + b)
        for deviations in [-11, -4, -0.6, 0, 0.2, 3, 9]:
            x = mp.mpf(float(mean + deviations * deviation))
            if 0 < x < 1:
                value = integral(beta_density(a, b), 0, x, (mean, deviation)) if a > 1 else -mp.expm1(b * mp.log1p(-x))
                lines.append(f"beta:{float(a)!r},{float(b)!r},{float(x)!r},{float(value)!r}")
    for a, b in [(0.5, 0.5), (2.0, 0.5), (0.3, 7.0), (30.0, 12.5), (500.0, 700.0)]:
        for x in [1e-6, 0.05, 0.3, 0.42, 0.5, 0.77, 0.96]:
            value = mp.betainc(mp.mpf(a), mp.mpf(b), 0, mp.mpf(x), regularized=True)
            if value > mp.mpf("1e-290"):
                lines.append(f"beta:{a!r},{b!r},{x!r},{float(value)!r}")
    (CRATE / "tests/suite/tables/special.csv").write_text("\n".join(lines) + "\n")


coefficients()
table()
