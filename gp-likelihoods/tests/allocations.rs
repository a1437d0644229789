//! Repeated calls do not allocate.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_likelihoods::{
    Latent, LatentDerivatives, Likelihood, ObservationMoments, PointDerivatives, Workspace, parse,
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

fn step(likelihood: &dyn Likelihood, y: &[f64], q: &[Latent], ws: &mut Workspace, room: &mut Room) {
    for power in [1.0, 0.3] {
        likelihood.tilted(y, q, power, ws, &mut room.slopes).unwrap();
    }
    likelihood.expected_log_density(y, q, ws, &mut room.slopes).unwrap();
    likelihood.log_density_slopes(y, &room.f, &mut room.point).unwrap();
    likelihood.predictive_moments(q, ws, &mut room.moments).unwrap();
    likelihood.log_predictive_density(y, q, ws).unwrap();
    likelihood.class_probabilities(q, ws, &mut room.classes).unwrap();
    likelihood.predictive_quantile(q, 0, 0.9, ws).unwrap();
}

struct Room {
    slopes: LatentDerivatives,
    point: PointDerivatives,
    moments: Vec<ObservationMoments>,
    classes: Vec<f64>,
    f: Vec<f64>,
}

/// Single test: allocations are counted per process.
#[test]
fn repeated_calls_allocate_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");
    let names = [
        "gaussian",
        "student_t",
        "bernoulli_probit",
        "poisson",
        "heteroscedastic",
        "softmax",
        "softmax(classes=6)",
        "robust_max",
        "robust_max(classes=5)",
        "multiclass_probit",
        "pairwise_probit",
        "gprn",
        "gprn(outputs=3, nodes=2)",
    ];
    for name in names {
        let likelihood = parse(name).unwrap();
        let likelihood = likelihood.as_ref();
        let y = vec![1.0; likelihood.outputs()];
        let q = vec![Latent::new(0.3, 0.6).unwrap(); likelihood.latents()];
        // Few nodes: only allocations matter.
        let mut ws = Workspace::with_nodes(64, 0).unwrap();
        let mut room = Room {
            slopes: LatentDerivatives::default(),
            point: PointDerivatives::default(),
            moments: vec![ObservationMoments::default(); y.len()],
            classes: vec![0.0; likelihood.support().classes()],
            f: vec![0.3; q.len()],
        };
        step(likelihood, &y, &q, &mut ws, &mut room);
        assert_eq!(blocks(|| step(likelihood, &y, &q, &mut ws, &mut room)), 0, "{name}");
    }
}
