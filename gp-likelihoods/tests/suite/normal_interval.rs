//! Normal intervals and log softplus against 60-digit values.

use gp_likelihoods::special::{NormalInterval, log_softplus, log_softplus_slopes};

/// Ends; log mass, end ratios, mean, curvature; mpmath 1.4.1, 60 digits.
const INTERVALS: &[([f64; 2], [f64; 5])] = &[
    (
        [-0.5, 0.3],
        [
            -1.1732047546742903,
            1.1379930420223858,
            1.2327731455269362,
            -0.0947801035045504,
            -0.9478117326896071,
        ],
    ),
    (
        [-3.0, -2.2],
        [
            -4.3777518261519095,
            0.35303548357690123,
            2.8258615539348853,
            -2.472826070357984,
            -0.9570798063160649,
        ],
    ),
    (
        [2.0, 2.0001],
        [-12.129378905178662, 10001.00004997973, 9998.999999981397, 2.000049998333292, -0.9999999991666667],
    ),
    (
        [0.25, 7.0],
        [
            -0.9130617648143242,
            0.9635539794194768,
            2.276318066547957e-11,
            0.9635539793967137,
            -0.6875477765157156,
        ],
    ),
    (
        [12.0, 12.05],
        [-76.20007126600291, 26.605893005157647, 14.583383043082522, 12.022509962075125, -0.9997953954482479],
    ),
    (
        [30.0, 31.0],
        [
            -454.32124395634327,
            30.033259667435328,
            1.7045932838228663e-12,
            30.033259667433622,
            -0.9988962284881647,
        ],
    ),
    (
        [-1.0, 4.0],
        [
            -0.172791423328125,
            0.2876107976438895,
            0.00015907303686258666,
            0.28745172460702695,
            -0.37087558377089397,
        ],
    ),
    (
        [-40.0, -38.0],
        [
            -726.5572160188201,
            5.0712409675055003e-33,
            38.02627946657587,
            -38.02627946657587,
            -0.9993103402465338,
        ],
    ),
    (
        [5.0, f64::INFINITY],
        [-15.064998393988725, 5.186503967125842, 0.0, 5.186503967125842, -0.9673035653828878],
    ),
    ([900.0, 905.0], [-405007.7213345311, 900.0011111083677, 0.0, 900.0011111083677, -0.9999987654412437]),
    (
        [0.0, 1e-06],
        [
            -14.734449091169113,
            1000000.0000001667,
            999999.9999996667,
            4.999999999999583e-07,
            -0.9999999999999166,
        ],
    ),
    (
        [-0.3, 0.4],
        [-1.2970638476386886, 1.3953221415188302, 1.347330617274689, 0.0479915242441411, -0.9598320757648007],
    ),
    (
        [3.0, 3.999],
        [-6.631569517927114, 3.3623192361679464, 0.10194013851542015, 3.260379097652526, -0.9507727658288266],
    ),
    (
        [-0.7, 0.6],
        [
            -0.7261183444354007,
            0.645441830113518,
            0.6887890737206895,
            -0.043347243607171654,
            -0.8669617088402157,
        ],
    ),
];

#[test]
fn intervals_near_far_narrow_and_wide() {
    for &([a, b], expected) in INTERVALS {
        for mirrored in [false, true] {
            let found = if mirrored { NormalInterval::new(-b, -a) } else { NormalInterval::new(a, b) };
            let [log_mass, lower, upper, mean, curvature] = expected;
            let ends = if mirrored { [upper, lower, -mean] } else { [lower, upper, mean] };
            let pairs = [
                (found.log_mass, log_mass),
                (found.at_lower, ends[0]),
                (found.at_upper, ends[1]),
                (found.mean, ends[2]),
                (found.curvature, curvature),
            ];
            for (k, (found, expected)) in pairs.into_iter().enumerate() {
                // Far out, ratios are exponentials of numbers up to 4e5, each rounded; all else is accurate
                // to 1e-13.
                let tolerance = 1e-13 + 4.0 * f64::EPSILON * a.abs().max(b.abs().min(1e3)).powi(2);
                let off = (found - expected).abs() / expected.abs().max(1e-3);
                assert!(
                    off <= tolerance,
                    "number {k} on ({a}, {b}): {found} instead of {expected}, {off:.1e}"
                );
            }
        }
    }
}

#[test]
fn intervals_without_ends_or_without_width() {
    let all = NormalInterval::new(f64::NEG_INFINITY, f64::INFINITY);
    assert_eq!((all.log_mass, all.mean, all.curvature), (0.0, 0.0, 0.0));
    assert!(NormalInterval::new(1.0, 1.0).log_mass.is_nan());
    assert!(NormalInterval::new(f64::NAN, 1.0).mean.is_nan());
}

#[test]
fn curvatures_are_variances_less_one() {
    for k in 0..400 {
        let a = -20.0 + 0.1 * f64::from(k);
        for width in [1e-9, 1e-3, 0.4, 0.999, 1.001, 3.0, 50.0] {
            let found = NormalInterval::new(a, a + width);
            assert!((-1.0..=0.0).contains(&found.curvature), "({a}, {width}): {found:?}");
            assert!(a <= found.mean && found.mean <= a + width, "({a}, {width}): {found:?}");
        }
    }
}

/// x, ln ln(1 + eˣ), two derivatives; mpmath 1.4.1, 60 digits.
const SOFTPLUS: &[[f64; 4]] = &[
    [-37.5, -37.5, 1.0, -2.587777502900934e-17],
    [-30.0, -30.000000000000046, 0.9999999999999533, -4.678811484419358e-14],
    [-12.0, -12.000003072098313, 0.999996927909553, -3.0720747174705135e-06],
    [-9.001, -9.001061640061645, 0.9999383631044598, -6.163056379942574e-05],
    [-8.999, -8.99906176345878, 0.9999382397200143, -6.175392287013192e-05],
    [-5.0, -5.003359553239909, 0.9966498291384774, -0.0033314815134166138],
    [-1.0, -1.1607163753888976, 0.8585199917061369, -0.10942817129697337],
    [0.0, -0.36651292058166435, 0.7213475204444817, -0.1596684850291611],
    [0.5, -0.02626493926374671, 0.6390247807012777, -0.1670948272657674],
    [3.0, 1.114678319907568, 0.31246410778772515, -0.0828149355070969],
    [30.0, 3.4011973816621586, 0.03333333333333011, -0.001111111111107777],
    [700.0, 6.551080335043404, 0.0014285714285714286, -2.040816326530612e-06],
];

#[test]
fn logarithms_of_softplus_keep_their_digits() {
    for &[x, value, first, second] in SOFTPLUS {
        let (found_first, found_second) = log_softplus_slopes(x);
        let off = |found: f64, expected: f64| (found - expected).abs() / expected.abs().max(1e-300);
        assert!((log_softplus(x) - value).abs() <= 1e-15 * value.abs().max(1.0), "{x}");
        assert!(off(found_first, first) <= 1e-15, "{x}: {found_first}");
        // The series drops a term of exp(3 · −9); above −9 two numbers cancel to exp(−9)/2.
        assert!(found_second == second || off(found_second, second) <= 5e-12, "{x}: {found_second}");
    }
    assert_eq!(log_softplus(-5000.0), -5000.0);
    assert_eq!(log_softplus_slopes(-5000.0), (1.0, 0.0));
}
