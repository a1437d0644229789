//! Nothing is allocated after the first call of a given size.

mod common;

use common::table;
use faer::Mat;
use gp_kernels::inducing::{InducingInputs, InducingPrior, PriorGradients};
use gp_kernels::{CovarianceGradients, Evaluator, Kept, parameter_count, parse};
use gp_linalg::{JitterPolicy, Threading};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The number of blocks that were asked for while `body` ran.
fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

/// One test, because what is counted is the whole process.
#[test]
fn repeated_calls_allocate_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");
    for (dim, text) in [
        (2, "1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1) + white"),
        (2, "select(matern32 * rq + arccos, dims=[1]) + polynomial * overlap + matern12 + cosine + constant"),
        (30, "matern52(lengthscale=5) * rbf(lengthscale=4)"),
    ] {
        let kernel = parse(text).unwrap();
        let kernel = kernel.as_ref();
        let (x, z) = (table(700, dim, 1), table(20, dim, 2));
        let by = Evaluator::new(Threading::Here);
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        let policy = JitterPolicy::ladder();
        let mut prior = InducingPrior::new(kernel, &inputs, &policy, &by).unwrap();
        let (mut phi, mut bar, mut residual) = (Mat::zeros(20, 700), Mat::zeros(20, 700), vec![0.0; 700]);
        let (mut grads, mut kept) = (PriorGradients::zeros(kernel, &inputs), Kept::up_to(1 << 20));
        let (mut params, mut gram) = (vec![0.0; parameter_count(kernel)], Mat::zeros(20, 20));
        let (mut rows, mut cols) = (Mat::zeros(20, dim), Mat::zeros(700, dim));
        let mut step = || {
            by.gram(kernel, z.as_ref(), gram.as_mut()).unwrap();
            by.gram_reverse(kernel, z.as_ref(), gram.as_ref(), &mut params, Some(rows.as_mut())).unwrap();
            by.cross(kernel, z.as_ref(), x.as_ref(), phi.as_mut()).unwrap();
            let to = CovarianceGradients {
                params: &mut params,
                rows: Some(rows.as_mut()),
                cols: Some(cols.as_mut()),
            };
            by.cross_reverse(kernel, z.as_ref(), x.as_ref(), phi.as_ref(), to).unwrap();
            prior.refresh(kernel, &inputs, &policy, &by).unwrap();
            let (x, s) = (x.as_ref(), &mut residual);
            prior.project(kernel, &inputs, x, phi.as_mut(), s, &by).unwrap();
            prior.project_kept(kernel, &inputs, x, phi.as_mut(), s, &mut kept, &by).unwrap();
            for kept in [&kept, &Kept::nothing()] {
                bar.copy_from(&phi);
                let (phi, bar) = (phi.as_ref(), bar.as_mut());
                prior.project_reverse_kept(kernel, &inputs, x, phi, bar, s, &mut grads, kept, &by).unwrap();
            }
            prior.finish_reverse(kernel, &inputs, &mut grads, &by).unwrap();
        };
        step();
        // The second step may still find buffers of another step's size free, and grow one.
        step();
        assert_eq!(blocks(&mut step), 0, "{text}");
    }
}
