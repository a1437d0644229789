//! Kernel and likelihood expressions from their grammar, with some faults.

use crate::random::Random;

const KERNELS: [&str; 22] = [
    "rbf",
    "matern12",
    "matern32",
    "matern52",
    "rational_quadratic",
    "periodic",
    "cosine",
    "linear",
    "polynomial",
    "arc_cosine",
    "constant",
    "white",
    "overlap",
    "index",
    "select",
    "rbf",
    "linear",
    "matern",
    "se",
    "categorical",
    "fixed",
    "sum",
];
const LIKELIHOODS: [&str; 20] = [
    "gaussian",
    "student_t",
    "probit",
    "logit",
    "bernoulli",
    "softmax",
    "poisson",
    "negative_binomial",
    "gamma",
    "beta",
    "ordinal",
    "heteroscedastic",
    "heteroscedastic_gaussian",
    "exponential",
    "laplace",
    "binomial",
    "mixture",
    "multiclass",
    "lgcp",
    "warped",
];
const ARGUMENTS: [&str; 24] = [
    "lengthscale",
    "variance",
    "period",
    "ard",
    "dims",
    "alpha",
    "degree",
    "offset",
    "order",
    "levels",
    "rank",
    "dof",
    "scale",
    "classes",
    "dispersion",
    "bias",
    "shape",
    "link",
    "thresholds",
    "noise",
    "targets",
    "latents",
    "weights",
    "trials",
];
const PRIORS: [&str; 6] = ["gamma", "log_normal", "normal", "half_normal", "uniform", "inverse_gamma"];
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1e-300",
    "1e300",
    "-0",
    "1e999",
    "nan",
    ".5",
    "1e",
    "4294967296",
    "1.5e-7",
    "18446744073709551616",
    "9007199254740993",
    "0.1",
    "100000",
    "65537",
];
const PIECES: [&str; 16] =
    ["(", ")", "[", "]", ",", "=", "~", "+", " * ", "\"", "\n", "fixed(", " in [", "none", "é", "\0"];

/// Nesting limit of most expressions.
const DEEP: usize = 3;

pub(crate) fn kernel(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    let depth = if random.once_in(200) { random.below(80) } else { DEEP };
    if random.once_in(2000) {
        let term = ["rbf * ", "rbf + ", "(", "1 * (", "select(rbf, dims=[0]) * "][random.below(5)];
        text = term.repeat(random.below(20_000));
    }
    sum(&mut text, depth, random);
    finished(text, random)
}

pub(crate) fn likelihood(random: &mut Random) -> Vec<u8> {
    let mut text = random.pick(&LIKELIHOODS).to_owned();
    call(&mut text, 0, random);
    finished(text, random)
}

/// Adds a fault with probability 1/3.
fn finished(mut text: String, random: &mut Random) -> Vec<u8> {
    if random.once_in(3) {
        let place = random.below(text.len() + 1);
        let place = (0..=place).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        match random.below(3) {
            0 => text.truncate(place),
            1 => text.insert_str(place, random.pick(&NUMBERS)),
            _ => text.insert_str(place, random.pick(&PIECES)),
        }
    }
    text.into_bytes()
}

fn sum(text: &mut String, depth: usize, random: &mut Random) {
    product(text, depth, random);
    while random.once_in(3) {
        text.push_str(" + ");
        product(text, depth, random);
    }
}

fn product(text: &mut String, depth: usize, random: &mut Random) {
    if random.once_in(2) {
        number(text, random);
        text.push_str(" * ");
    }
    factor(text, depth, random);
    while random.once_in(4) {
        text.push_str(" * ");
        factor(text, depth, random);
    }
}

fn factor(text: &mut String, depth: usize, random: &mut Random) {
    if depth > DEEP {
        // Nest without branches, which would make huge expressions.
        text.push('(');
        factor(text, depth - 1, random);
        return text.push(')');
    }
    if depth > 0 && random.once_in(2) {
        text.push('(');
        sum(text, depth - 1, random);
        return text.push(')');
    }
    text.push_str(random.pick(&KERNELS));
    call(text, depth, random);
}

fn call(text: &mut String, depth: usize, random: &mut Random) {
    if random.once_in(3) {
        return;
    }
    text.push('(');
    let count = random.below(4);
    for place in 0..count {
        if place > 0 {
            text.push_str(", ");
        }
        if depth > 0 && random.once_in(6) {
            sum(text, depth - 1, random);
            continue;
        }
        text.push_str(random.pick(&ARGUMENTS));
        text.push('=');
        value(text, random);
    }
    text.push(')');
}

fn value(text: &mut String, random: &mut Random) {
    match random.below(8) {
        0 => text.push_str(random.pick(&["true", "false"])),
        1 | 2 => {
            text.push('[');
            for place in 0..random.below(4) {
                if place > 0 {
                    text.push_str(", ");
                }
                number(text, random);
            }
            text.push(']');
        }
        _ => number(text, random),
    }
    if random.once_in(8) {
        text.push_str(&format!(" in [{}, {}]", random.pick(&NUMBERS), random.pick(&NUMBERS)));
    }
    if random.once_in(8) {
        let (prior, one, other) = (random.pick(&PRIORS), random.pick(&NUMBERS), random.pick(&NUMBERS));
        text.push_str(&format!(" ~ {prior}({one}, {other})"));
    }
}

fn number(text: &mut String, random: &mut Random) {
    let number = if random.once_in(4) {
        random.pick(&NUMBERS).to_owned()
    } else {
        format!("{}", random.below(1 << 16) as f64 / 4096.0)
    };
    if random.once_in(8) { text.push_str(&format!("fixed({number})")) } else { text.push_str(&number) }
}
